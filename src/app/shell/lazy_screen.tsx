/** Loads a screen when it is opened, because few visits need it. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Problem } from "../../core/errors/problem.ts";
import { texts } from "../text/texts.ts";
import { Button, Step } from "../views/parts.tsx";

/** The screen while it loads, and if it cannot be loaded. */
interface Placeholder {
  readonly name: string;
  readonly title: string;
  readonly loading?: string;
  readonly failedTitle: string;
  /** Ways out of a screen that cannot be loaded, below the button that tries again. */
  readonly children?: ComponentChildren;
}

export function lazyScreen<Props extends object>(
  load: () => Promise<(props: Props) => JSX.Element>,
  placeholder: (props: Props) => Placeholder,
): (props: Props) => JSX.Element {
  return (props) => {
    const [state, setState] = useState<{ readonly Screen?: (props: Props) => JSX.Element }>();
    const open = () => {
      setState(undefined);
      void load().then((Screen) => setState({ Screen }), () => setState({}));
    };
    useEffect(open, []);
    if (state?.Screen) return <state.Screen {...props} />;
    const { name, title, loading, failedTitle, children } = placeholder(props);
    if (state === undefined) {
      return <Step name={`${name}-loading`} title={title} progress={loading} />;
    }
    return (
      <Step name={`${name}-missing`} title={failedTitle} problem={new Problem("artifact_unavailable")}>
        <Button kind="primary" onClick={open}>{texts.app.retry}</Button>
        {children}
      </Step>
    );
  };
}
