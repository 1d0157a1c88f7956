/** Gives the event loop its turns, so that reading a long answer keeps nobody waiting. */

/** Well below what anybody would notice, well above what a turn costs. */
const LONGEST_MS = 5;

/** Turns of one piece of work that is done step by step. */
export class Turns {
  #began = performance.now();

  /** Between two steps: resolves at once, or after others had their turn when this one was long. */
  async next(): Promise<void> {
    if (performance.now() - this.#began < LONGEST_MS) return;
    await new Promise<void>((resolve) => setTimeout(resolve, 0));
    this.#began = performance.now();
  }
}
