/** The site of the documentation: every page of the repository under its own path, README.md as the first. */
import { existsSync } from "node:fs";

const hasApi = existsSync(new URL("../.public/api/index.html", import.meta.url));
const section = (text, ...pages) => ({ text, items: pages.map(([text, link]) => ({ text, link })) });

export default {
  title: "tonado",
  description: "Fixed-denomination shielded pools on TON, the relayer that serves them, the client that uses them",
  cleanUrls: false,
  rewrites: { "README.md": "index.md", ":folder/README.md": ":folder/index.md" },
  // What is no page was checked against the repository before: see tools/docs_site.ts.
  ignoreDeadLinks: [/\/[\w.-]+\.(yml|json|conf|tlb|ts|service|svg)$/, /\/LICENSE$/, /\/api\/$/],
  markdown: { html: false, config: (md) => md.disable("emoji", true) },
  vite: { publicDir: ".public" },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    sidebar: [
      section("Start", ["tonado", "/"], ["Depositing and withdrawing", "/docs/using"], ["Commands", "/docs/commands"]),
      section("Operators", ["Operating a relayer", "/docs/operating"], ["Migration", "/docs/migration"], [
        "Reliability",
        "/docs/reliability",
      ], ["Ceremony", "/docs/ceremony"]),
      section("Integrators", ["Integrating", "/docs/integrating"], ...(hasApi ? [["API of the library", "/api/index.html"]] : [])),
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
