/** The site of the documentation: every page of the repository under its own path, README.md as the first. */
import { existsSync } from "node:fs";

const hasApi = existsSync(new URL("../.public/api/index.html", import.meta.url));
const section = (text, ...pages) => ({
  text,
  items: pages.map(([text, link, target]) => ({ text, link, target })),
});
/** Made by typedoc, and no page of VitePress, whose router must leave it to the browser. */
const api = hasApi ? [["API of the library", "/api/index.html", "_self"]] : [];

/** Leaves links to files that are no pages as they are: VitePress takes a name without an extension that it knows for a page's. */
function filesAsTheyAre(md) {
  md.core.ruler.push("files_as_they_are", ({ tokens }) => {
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
  markdown: { html: false, config: (md) => md.disable("emoji", true).use(filesAsTheyAre) },
  vite: { publicDir: ".public" },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    sidebar: [
      section("Start", ["tonado", "/"], ["Depositing and withdrawing", "/docs/using"], [
        "Commands",
        "/docs/commands",
      ], [
        "Compliance reports",
        "/docs/compliance",
      ]),
      section("Operators", ["Operating a relayer", "/docs/operating"], ["Migration", "/docs/migration"], [
        "Reliability",
        "/docs/reliability",
      ], ["Ceremony", "/docs/ceremony"]),
      section("Integrators", ["Integrating", "/docs/integrating"], ...api),
      section(
        "Auditors",
        ["Security", "/docs/security"],
        ["Architecture", "/docs/architecture"],
        ["Circuits", "/docs/circuits"],
        ["Contracts", "/contracts/SPEC"],
        ["Gas", "/docs/gas"],
        ["Mutation", "/docs/mutation"],
      ),
      section("Developers", ["Developing", "/docs/development"], ["Dependencies", "/docs/dependencies"], [
        "Performance",
        "/docs/performance",
      ], ["Changelog", "/CHANGELOG"]),
    ],
  },
};
