// An episode of teacher and embedding from one start.
import { $ } from "./dom.js";
import { plain, with_unit } from "./format.js";
import { make_player } from "./player.js";

const most_numbers = 8;

export function make_episode(page, { on_start, on_step }) {
  const player = make_player({
    scenes: $("scenes"), action_trace: $("action-trace"), traces: $("traces"), on_step, scrub: $("scrub"), text: $("step-text"), play_button: $("play"),
    back: $("step-back"), on: $("step-on"),
  });

  function tell(answer) {
    const numbers = page.subject.axes.map((axis, d) => `${plain(axis.name)} ${with_unit(answer.start[d], axis)}`);
    const where = numbers.slice(0, most_numbers).join(", ") + (numbers.length > most_numbers ? ` and ${numbers.length - most_numbers} more` : "");
    const returns = ["teacher", "embedding"].filter((one) => answer[one]).map((one) => `${one} ${answer[one].return.toFixed(2)}`).join(", ");
    $("start-text").textContent = `Start: ${where}. Return of this episode: ${returns}.` +
      (answer.snapped ? " The nearest start that the report holds." : "") + " Click the map below to start elsewhere.";
  }

  return {
    play: () => page.ask(async () => {
      const { start, another, place } = page.store.get();
      if (place < 0) return;
      $("episode").hidden = !page.subject.playable;
      if (!page.subject.playable) return;
      const answer = await page.source.play(page.question({ start, another }));
      const { subject } = page;
      const played = Object.fromEntries(["teacher", "embedding"].filter((one) => answer[one]).map((one) => [one, answer[one]]));
      on_start(answer.start, played);
      player.show(answer, { output: page.store.get().output, name: subject.task_kind, state: subject.axes, action: subject.action.axes, actions: subject.action.count, dt: subject.dt });
      tell(answer);
      page.module.set_episode(answer);
    }),
    show_module: (acted) => player.show_module(acted),
    go: (step) => player.go(step),
    show_action: () => player.show_action(page.store.get().output),
  };
}
