/* One episode of the pendulum, from hanging almost straight down at rest, played by an exported controller:
 *
 *   mercer export c p.mercer --out firmware
 *   cc -std=c99 -O2 -I firmware examples/pendulum/swing_up.c firmware/controller.c -o swing_up -lm && ./swing_up
 */
#include <math.h>
#include <stdio.h>

#include "controller.h"

int main(void)
{
  const double pi = 3.14159265358979324, dt = 0.05;
  double angle = 3.0, speed = 0.0, total = 0.0; /* angle from upright */
  int step, upright_since = 0;
  if (controller_selftest() != 0) {
    puts("the self-test failed");
    return 1;
  }
  puts("self-test passed");
  for (step = 0; step < 200; step++) {
    const double away = angle - 2.0 * pi * floor((angle + pi) / (2.0 * pi));
    const float obs[3] = {(float)cos(angle), (float)sin(angle), (float)speed};
    float act[1];
    controller_act(obs, act);
    if (fabs(away) > 0.2) upright_since = step + 1;
    total -= away * away + 0.1 * speed * speed + 0.001 * (double)act[0] * (double)act[0];
    speed += (15.0 * sin(angle) + 3.0 * (double)act[0]) * dt;
    speed = speed < -8.0 ? -8.0 : speed > 8.0 ? 8.0 : speed;
    angle += speed * dt;
  }
  printf("an episode of 200 steps from hanging 0.14 rad off, at rest: return %.1f, ", total);
  if (upright_since < 200) {
    printf("upright after %.2f s and from then on\n", upright_since * dt);
  } else {
    printf("not upright at its end\n");
  }
  return 0;
}
