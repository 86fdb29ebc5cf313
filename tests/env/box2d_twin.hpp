#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include <box2d/box2d.h>

#include "mercer/random.hpp"

namespace mercer::twin {

// The tasks as Gymnasium plays them: a world that goes on from step to step, in its coordinates (bottom left is the
// origin) and with its order of events. Random numbers are those of the tasks, which are told apart by terrain.

struct Step {
  std::vector<double> observation;
  double reward = 0;
  bool ended = false;
};

inline float f(double value) { return static_cast<float>(value); }

inline b2Body* add_body(b2World& world, std::vector<b2Vec2> outline, double x, double y, double angle, double density,
                        double friction) {
  b2BodyDef body;
  body.type = b2_dynamicBody;
  body.position = {f(x), f(y)};
  body.angle = f(angle);
  b2PolygonShape shape;
  for (b2Vec2& corner : outline) corner *= 1 / 30.0f;
  shape.Set(outline.data(), static_cast<int32>(outline.size()));
  b2FixtureDef fixture;
  fixture.shape = &shape;
  fixture.density = f(density);
  fixture.friction = f(friction);
  fixture.filter.categoryBits = 0x20;
  fixture.filter.maskBits = 1;
  b2Body* const made = world.CreateBody(&body);
  made->CreateFixture(&fixture);
  return made;
}

inline std::vector<b2Vec2> box(float w, float h) { return {{-w, -h}, {w, -h}, {w, h}, {-w, h}}; }

inline void add_edge(b2Body& ground, double x1, double y1, double x2, double y2, double friction) {
  b2EdgeShape shape;
  shape.SetTwoSided({f(x1), f(y1)}, {f(x2), f(y2)});
  b2FixtureDef fixture;
  fixture.shape = &shape;
  fixture.friction = f(friction);
  ground.CreateFixture(&fixture);
}

inline b2RevoluteJoint* add_hinge(b2World& world, b2Body* a, b2Body* b, b2Vec2 anchor_a, b2Vec2 anchor_b, double lower,
                                  double upper, double speed, double torque) {
  b2RevoluteJointDef def;
  def.bodyA = a;
  def.bodyB = b;
  def.localAnchorA = anchor_a;
  def.localAnchorB = anchor_b;
  def.enableMotor = def.enableLimit = true;
  def.lowerAngle = f(lower);
  def.upperAngle = f(upper);
  def.motorSpeed = f(speed);
  def.maxMotorTorque = f(torque);
  return static_cast<b2RevoluteJoint*>(world.CreateJoint(&def));
}

// Notes a contact of the hull for ever, and of each leg until one of its contacts ends.
struct Contacts : b2ContactListener {
  b2Body* hull = nullptr;
  std::array<b2Body*, 2> legs{};
  std::array<bool, 2> touches{};
  bool game_over = false;

  void BeginContact(b2Contact* contact) override { note(contact, true); }
  void EndContact(b2Contact* contact) override { note(contact, false); }
  void note(b2Contact* contact, bool begins) {
    for (const b2Body* body : {contact->GetFixtureA()->GetBody(), contact->GetFixtureB()->GetBody()}) {
      if (body == hull && begins) game_over = true;
      for (std::size_t leg = 0; leg < 2; ++leg) {
        if (body == legs[leg]) touches[leg] = begins;
      }
    }
  }
};

class Lander {
 public:
  Lander(double terrain, double force_x, double force_y) {
    contacts_.hull = nullptr;
    world_.SetContactListener(&contacts_);
    std::vector<double> height(12);
    Random random({static_cast<std::uint64_t>(terrain), Stage::task, 0, 0});
    for (double& one : height) one = random.uniform() * (400 / 30.0 / 2);
    for (std::size_t i = 3; i <= 7; ++i) height[i] = 400 / 30.0 / 4;
    const auto smooth = [&](std::size_t i) { return 0.33 * (height[(i + 11) % 12] + height[i] + height[i + 1]); };
    const b2BodyDef still;
    b2Body& moon = *world_.CreateBody(&still);
    add_edge(moon, 0, 0, 20, 0, 0.2);
    for (std::size_t i = 0; i < 10; ++i) {
      const auto at = static_cast<double>(i);
      add_edge(moon, 2 * at, smooth(i), 2 * at + 2, smooth(i + 1), 0.1);
    }

    constexpr double x = 10, y = 400 / 30.0;
    hull_ = add_body(world_, {{-14, 17}, {-17, 0}, {-17, -10}, {17, -10}, {17, 0}, {14, 17}}, x, y, 0, 5, 0.1);
    hull_->ApplyForceToCenter({f(force_x), f(force_y)}, true);
    contacts_.hull = hull_;
    for (const int i : {-1, 1}) {
      b2Body* const leg = add_body(world_, box(2, 8), x - i * 20 / 30.0, y, i * 0.05, 1, 0.2);
      contacts_.legs[i < 0 ? 0 : 1] = leg;
      add_hinge(world_, hull_, leg, {0, 0}, {f(i * 20 / 30.0), f(18 / 30.0)}, i < 0 ? 0.4 : -0.9, i < 0 ? 0.9 : -0.4,
                0.3 * i, 40);
    }
    step(0, 0, Random({0, Stage::transition, 0, 0}));
  }

  /// Throttles: 0 is off, a negative one of the side engines fires the left.
  Step step(double main, double side, Random random) {
    const double tip[] = {std::sin(hull_->GetAngle()), std::cos(hull_->GetAngle())};
    const double flank[] = {-tip[1], tip[0]};
    double jitter[2];
    for (double& one : jitter) one = (2 * random.uniform() - 1) / 30;
    const auto push = [&](double ox, double oy, double power, double dx, double dy) {
      const b2Vec2 at = hull_->GetPosition();
      hull_->ApplyLinearImpulse({f(-ox * power), f(-oy * power)}, {f(at.x + ox + dx), f(at.y + oy + dy)}, true);
    };
    if (main > 0) {
      const double ox = tip[0] * (4 / 30.0 + 2 * jitter[0]) + flank[0] * jitter[1];
      const double oy = -tip[1] * (4 / 30.0 + 2 * jitter[0]) - flank[1] * jitter[1];
      push(ox, oy, 13 * main, 0, 0);
    }
    if (side != 0) {
      const double away = 3 * jitter[1] + (side > 0 ? 1 : -1) * 12 / 30.0;
      const double ox = tip[0] * jitter[0] + flank[0] * away, oy = -tip[1] * jitter[0] - flank[1] * away;
      push(ox, oy, 0.6 * std::abs(side), -tip[0] * 17 / 30, tip[1] * 14 / 30);
    }
    world_.Step(1 / 50.0f, 180, 60);

    const b2Vec2 at = hull_->GetPosition(), v = hull_->GetLinearVelocity();
    const std::vector<double> s{(at.x - 10) / 10,
                                (at.y - (400 / 30.0 / 4 + 18 / 30.0)) / (400 / 30.0 / 2),
                                v.x * 10.0 / 50,
                                v.y * (400 / 30.0 / 2) / 50,
                                hull_->GetAngle(),
                                20.0 * hull_->GetAngularVelocity() / 50,
                                contacts_.touches[0] ? 1.0 : 0.0,
                                contacts_.touches[1] ? 1.0 : 0.0};
    const double shaping =
        -100 * std::hypot(s[0], s[1]) - 100 * std::hypot(s[2], s[3]) - 100 * std::abs(s[4]) + 10 * s[6] + 10 * s[7];
    Step out{s, shaping - shaping_ - 0.3 * main - 0.03 * std::abs(side), false};
    shaping_ = shaping;
    if (contacts_.game_over || std::abs(s[0]) >= 1) out.reward = -100, out.ended = true;
    if (!hull_->IsAwake()) out.reward = 100, out.ended = true;
    return out;
  }

 private:
  Contacts contacts_;
  b2World world_{{0, -10}};
  b2Body* hull_ = nullptr;
  double shaping_ = 0;
};

class Walker {
 public:
  Walker(double terrain, double force) {
    world_.SetContactListener(&contacts_);
    Random random({static_cast<std::uint64_t>(terrain), Stage::task, 0, 0});
    const double base = 400 / 30.0 / 4, step = 14 / 30.0;
    double y = base, velocity = 0;
    int counter = 20;
    bool oneshot = false;
    std::vector<double> heights;
    for (int i = 0; i < 200; ++i) {
      if (!oneshot) {
        velocity = 0.8 * velocity + 0.01 * ((base > y) - (base < y));
        if (i > 20) velocity += (2 * random.uniform() - 1) / 30;
        y += velocity;
      }
      oneshot = false;
      heights.push_back(y);
      if (--counter == 0) {
        counter = 5 + static_cast<int>(5 * random.uniform());
        oneshot = true;
      }
    }
    for (std::size_t i = 0; i + 1 < heights.size(); ++i) {
      const b2BodyDef still;
      const auto at = static_cast<double>(i);
      add_edge(*world_.CreateBody(&still), step * at, heights[i], step * (at + 1), heights[i + 1], 2.5);
    }
    const double x = step * 10, top = base + 2 * 34 / 30.0, down = -8 / 30.0, h = 34 / 30.0;
    hull_ = add_body(world_, {{-30, 9}, {6, 9}, {34, 1}, {34, -8}, {-30, -8}}, x, top, 0, 5, 0.1);
    hull_->ApplyForceToCenter({f(force), 0}, true);
    contacts_.hull = hull_;
    for (const int i : {-1, 1}) {
      b2Body* const leg = add_body(world_, box(4, 17), x, top - h / 2 - down, i * 0.05, 1, 0.2);
      joints_.push_back(add_hinge(world_, hull_, leg, {0, f(down)}, {0, f(h / 2)}, -0.8, 1.1, i, 80));
      b2Body* const lower = add_body(world_, box(3.2f, 17), x, top - h * 3 / 2 - down, i * 0.05, 1, 0.2);
      joints_.push_back(add_hinge(world_, leg, lower, {0, f(-h / 2)}, {0, f(h / 2)}, -1.6, -0.1, 1, 80));
      contacts_.legs[i < 0 ? 0 : 1] = lower;
    }
    this->step({0, 0, 0, 0});
  }

  Step step(const std::array<double, 4>& action) {
    for (std::size_t j = 0; j < 4; ++j) {
      const double sign = (action[j] > 0) - (action[j] < 0);
      joints_[j]->SetMotorSpeed(f((j % 2 == 0 ? 4 : 6) * sign));
      joints_[j]->SetMaxMotorTorque(f(80 * std::min(std::abs(action[j]), 1.0)));
      joints_[j]->GetBodyA()->SetAwake(true);  // Box2D 2.3 wakes bodies here even if the speed stays
      joints_[j]->GetBodyB()->SetAwake(true);
    }
    world_.Step(1 / 50.0f, 180, 60);
    const b2Vec2 at = hull_->GetPosition(), v = hull_->GetLinearVelocity();
    Step out{
        {hull_->GetAngle(), 2.0 * hull_->GetAngularVelocity() / 50, 0.3 * v.x * 20 / 50, 0.3 * v.y * (400 / 30.0) / 50},
        0,
        false};
    for (std::size_t leg = 0; leg < 2; ++leg) {
      const b2RevoluteJoint &hip = *joints_[2 * leg], &knee = *joints_[2 * leg + 1];
      out.observation.insert(out.observation.end(),
                             {hip.GetJointAngle(), hip.GetJointSpeed() / 4, knee.GetJointAngle() + 1.0,
                              knee.GetJointSpeed() / 6, contacts_.touches[leg] ? 1.0 : 0.0});
    }
    for (int i = 0; i < 10; ++i) {
      Lidar lidar;
      const b2Vec2 end{f(at.x + std::sin(1.5 * i / 10) * 160 / 30), f(at.y - std::cos(1.5 * i / 10) * 160 / 30)};
      world_.RayCast(&lidar, at, end);
      out.observation.push_back(lidar.fraction);
    }
    const double shaping = 130.0 * at.x / 30 - 5 * std::abs(out.observation[0]);
    out.reward = shaping - shaping_;
    shaping_ = shaping;
    for (const double a : action) out.reward -= 0.00035 * 80 * std::min(std::abs(a), 1.0);
    if (contacts_.game_over || at.x < 0) out.reward = -100, out.ended = true;
    if (at.x > 190 * 14 / 30.0) out.ended = true;
    return out;
  }

 private:
  struct Lidar : b2RayCastCallback {
    float fraction = 1;
    float ReportFixture(b2Fixture* fixture, const b2Vec2&, const b2Vec2&, float share) override {
      if ((fixture->GetFilterData().categoryBits & 1) == 0) return -1;
      return fraction = share;
    }
  };

  Contacts contacts_;
  b2World world_{{0, -10}};
  b2Body* hull_ = nullptr;
  std::vector<b2RevoluteJoint*> joints_;
  double shaping_ = 0;
};

}  // namespace mercer::twin
