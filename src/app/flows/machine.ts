/** Runs a flow: a pure `next(state, event)`, and the work that each state needs, which starts and ends with it. */
import { Problem } from "../../core/errors/problem.ts";

/** Runs until it ends or `signal` aborts. Results are sent as events; events after an abort are dropped. */
export type Work<Event> = (signal: AbortSignal, send: (event: Event) => void) => Promise<void>;

export interface Machine<State, Event> {
  next(state: State, event: Event): State;
  /** The work of a state, by name. Work of the same name continues across states; other work is aborted. */
  works(state: State): Readonly<Record<string, Work<Event> | undefined>>;
  failed(problem: Problem, name: string): Event;
}

export interface Flow<State, Event> {
  readonly state: State;
  send(event: Event): void;
  /** Calls `listener` after each change. Returns the unsubscription. */
  subscribe(listener: (state: State) => void): () => void;
  /** Aborts all work. Later events are dropped. */
  stop(): void;
}

export function startFlow<State, Event>(machine: Machine<State, Event>, initial: State): Flow<State, Event> {
  const running = new Map<string, AbortController>();
  const listeners = new Set<(state: State) => void>();
  let state = initial;
  let stopped = false;

  const send = (event: Event) => {
    if (stopped) return;
    const next = machine.next(state, event);
    if (next === state) return;
    state = next;
    reconcile();
    listeners.forEach((listener) => listener(state));
  };
  const begin = async (name: string, work: Work<Event>) => {
    const end = new AbortController();
    running.set(name, end);
    const isCurrent = () => running.get(name) === end && !end.signal.aborted;
    try {
      await work(end.signal, (event) => {
        if (isCurrent()) send(event);
      });
    } catch (error) {
      const problem = toProblem(error);
      if (isCurrent() && problem.code !== "cancelled") send(machine.failed(problem, name));
    }
  };
  const reconcile = () => {
    const works = machine.works(state);
    for (const [name, end] of running) {
      if (works[name]) continue;
      running.delete(name);
      end.abort();
    }
    for (const [name, work] of Object.entries(works)) {
      if (work && !running.has(name)) void begin(name, work);
    }
  };

  reconcile();
  return {
    get state() {
      return state;
    },
    send,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop() {
      stopped = true;
      running.forEach((end) => end.abort());
      running.clear();
      listeners.clear();
    },
  };
}

/** Converts any other error to `internal` with a fixed message, because its own message could quote a secret. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem("internal", "the app has a fault", { cause: error });
}
