/** Gives the event loop its turns, so that long work on this thread keeps nobody waiting. */

/** Well below what anybody would notice, well above what a turn costs. */
const LONGEST_MS = 5;

/** Lets others have their turn. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Turns of one piece of work that is done step by step. */
export class Turns {
  #began = performance.now();

  /** Between two steps: resolves at once, or after others had their turn when this one was long. */
  async next(): Promise<void> {
    if (performance.now() - this.#began < LONGEST_MS) return;
    await turn();
    this.#began = performance.now();
  }
}
