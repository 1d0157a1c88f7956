/** Connects flows to components: a flow starts with its screen and stops with it. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { type Flow, type Machine, startFlow } from "../flows/machine.ts";

/** Runs a machine while the component is shown. A new `key` starts it again. */
export function useMachine<State, Event>(
  key: string,
  initial: NoInfer<State>,
  create: () => Machine<State, Event>,
): [state: State, send: (event: Event) => void] {
  const flow = useMemo(() => startFlow(create(), initial), [key]);
  useEffect(() => () => flow.stop(), [flow]);
  return [useFlow(flow), flow.send];
}

export function useFlow<State, Event>(flow: Flow<State, Event>): State {
  const [state, setState] = useState<{ readonly of: typeof flow; readonly state: State }>();
  useEffect(() => {
    setState({ of: flow, state: flow.state });
    return flow.subscribe((state) => setState({ of: flow, state }));
  }, [flow]);
  return state?.of === flow ? state.state : flow.state;
}
