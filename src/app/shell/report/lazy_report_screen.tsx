import { texts } from "../../text/texts.ts";
import { lazyScreen } from "../lazy_screen.tsx";
import type { ReportScreenProps } from "./report_screen.tsx";

export const ReportScreen = lazyScreen<ReportScreenProps>(
  async () => (await import("./report_screen.tsx")).ReportScreen,
  () => ({ name: "report", title: texts.report.title, failedTitle: texts.report.title }),
);
