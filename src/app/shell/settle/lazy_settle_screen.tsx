import { texts } from "../../text/texts.ts";
import { Button } from "../../views/parts.tsx";
import { lazyScreen } from "../lazy_screen.tsx";
import type { SettleScreenProps } from "./settle_screen.tsx";

export const SettleScreen = lazyScreen<SettleScreenProps>(
  async () => (await import("./settle_screen.tsx")).SettleScreen,
  ({ onDone }) => ({
    name: "settle",
    title: texts.settle.title,
    loading: texts.settle.reading(0),
    failedTitle: texts.settle.failedTitle,
    children: <Button kind="quiet" onClick={onDone}>{texts.deposit.toNotes}</Button>,
  }),
);
