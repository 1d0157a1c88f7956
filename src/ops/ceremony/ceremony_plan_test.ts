import assert from "node:assert/strict";
import {
  type CeremonyPlan,
  contributorShortfall,
  keysLabel,
  namedSigners,
  parseCeremonyPlan,
} from "./ceremony_plan.ts";
import type { Transcript } from "./transcript/transcript.ts";

const key = (name: string) => name.slice(0, 2).padEnd(64, "0");
const signedBy = (...names: (string | undefined)[]) => ({
  circuits: {},
  entries: [
    { kind: "announcement" },
    ...names.map((name) => ({
      kind: "contribution",
      ...name !== undefined && { signature: { publicKey: key(name) } },
    })),
    { kind: "beacon" },
  ],
} as unknown as Transcript);
const plan: CeremonyPlan = {
  initialKeys: null,
  contributors: [
    { name: "coordinator", publicKey: key("c1"), coordinator: true },
    { name: "coordinator's second key", publicKey: key("c2"), coordinator: true },
    { name: "coordinator's third key", publicKey: key("c3"), coordinator: true },
    { name: "Alice", publicKey: key("a0") },
    { name: "Bob", publicKey: key("b0"), coordinator: false },
  ],
};

const cases: [what: string, signers: (string | undefined)[], shortfall: RegExp | undefined][] = [
  ["three named signers", ["a0", "b0", "c1"], undefined],
  ["one named signer beside the coordinator's keys", ["c1", "a0", "c2"], undefined],
  [
    "the coordinator as the only signer",
    ["c1", "c2", "c3"],
    /every signed contribution is the coordinator's/,
  ],
  [
    "two named signers",
    ["a0", "b0"],
    /^2 contributions signed by contributors that the release names, 3 are/,
  ],
  ["one named signer", ["a0"], /^1 contribution signed by/],
  ["nobody", [], /^0 contributions signed by/],
  ["one signer three times", ["a0", "a0", "a0"], /^1 contribution signed by/],
  ["keys that the release does not name", ["a0", "d0", "e0"], /^1 contribution signed by/],
  ["unsigned contributions", ["a0", undefined, undefined], /^1 contribution signed by/],
];
for (const [what, signers, shortfall] of cases) {
  Deno.test(`${what}: ${shortfall ? "the keys are weak" : "enough for mainnet"}`, () => {
    const transcript = signedBy(...signers);
    const found = contributorShortfall(transcript, plan);
    if (shortfall) assert.match(found!, shortfall);
    else assert.equal(found, undefined);
    const named = namedSigners(transcript, plan);
    assert.equal(
      keysLabel(transcript, plan),
      `${shortfall ? "weak " : ""}ceremony keys, ${signers.length} contribution${
        signers.length === 1 ? "" : "s"
      }, ${named.length} signed by named contributors, and a beacon`,
    );
  });
}

Deno.test("a plan is refused with the member that is wrong", () => {
  const parse = (value: unknown) => parseCeremonyPlan(new TextEncoder().encode(JSON.stringify(value)));
  assert.deepEqual(parse(plan), plan);
  const [first] = plan.contributors;
  const wrong: [unknown, RegExp][] = [
    [
      { ...plan, contributors: [first, { ...first, name: "the same key" }] },
      /contributors: lists a public key twice/,
    ],
    [{ ...plan, contributors: [{ ...first, publicKey: "00" }] }, /\/contributors\/0\/publicKey/],
    [{ ...plan, initialKeys: { withdraw: key("a0") } }, /\/initialKeys\/deposit/],
    [{ ...plan, more: 1 }, /more/],
    [{ ...plan, beacon: { source: "a public clock", round: 7 } }, /\/beacon\/value/],
    [
      { ...plan, version2: { contributors: [], initialKeys: { withdraw: key("a0") } } },
      /\/version2\/initialKeys\/withdraw2/,
    ],
  ];
  for (const [value, detail] of wrong) {
    assert.throws(() => parse(value), (error: { errors: { detail: string }[] }) => {
      assert.match(error.errors[0].detail, detail);
      return true;
    });
  }
  assert.throws(() => parseCeremonyPlan(new TextEncoder().encode("{")), {
    code: "invalid_config",
    errors: [{ pointer: "--plan", detail: "it is not JSON" }],
  });
});
