/** The site of the documentation: every page of the repository under its own path, README.md as the first. */
import { existsSync } from "node:fs";

const hasApi = existsSync(new URL("../.public/api/index.html", import.meta.url));
const section = (text, ...pages) => ({
  text,
  items: pages.map(([text, link, target]) => ({ text, link, target })),
});
/** typedoc makes these pages, so the browser must open them, not VitePress's router. */
const api = hasApi ? [["API of the library", "/api/index.html", "_self"]] : [];

/** Keeps links to files that are not pages: VitePress would treat names with an unknown extension as pages. */
function keepFileLinks(md) {
  md.core.ruler.push("keep_file_links", ({ tokens }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === "link_open" ? token.attrGet("href") : "";
      if (href && !/^([a-z]+:|#)|\.md(#|$)/.test(href)) token.attrSet("target", "_self");
    }
  });
}

export default {
  title: "tonado",
  description:
    "Fixed-denomination shielded pools on TON, the relayer that serves them, the client that uses them",
  cleanUrls: false,
  rewrites: { "README.md": "index.md" },
  markdown: { html: false, config: (md) => md.disable("emoji", true).use(keepFileLinks) },
  vite: { publicDir: ".public" },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    sidebar: [
      section(
        "Users",
        ["tonado", "/"],
        ["The app", "/docs/app"],
        ["Depositing and withdrawing", "/docs/using"],
        ["Pool versions", "/docs/pool-versions"],
        ["Commands", "/docs/commands"],
        ["Compliance reports", "/docs/compliance"],
      ),
      section(
        "Operators",
        ["Operating a relayer", "/docs/operating"],
        ["Migration", "/docs/migration"],
        ["Reliability", "/docs/reliability"],
        ["Ceremony", "/docs/ceremony"],
      ),
      section("Integrators", ["Integrating", "/docs/integrating"], ...api),
      section(
        "Auditors",
        ["Security", "/docs/security"],
        ["Auditing a release", "/docs/auditing"],
        ["Architecture", "/docs/architecture"],
        ["Circuits", "/docs/circuits"],
        ["Contracts", "/contracts/v1/SPEC"],
        ["Contracts of version 2", "/contracts/v2/SPEC"],
        ["Gas", "/docs/gas"],
        ["Mutation testing", "/docs/mutation"],
      ),
      section(
        "Developers",
        ["Developing", "/docs/development"],
        ["Design of the app", "/docs/app-design"],
        ["Dependencies", "/docs/dependencies"],
        ["Performance", "/docs/performance"],
        ["Changelog", "/CHANGELOG"],
      ),
    ],
  },
};
