import { deepEqual, equal } from "node:assert/strict";
import { nextWithdraw } from "./withdraw.ts";
import { failed, offerOf, offers, receipt, review } from "../../../../tests/support/relayer/offers.ts";
import type { WithdrawEvent, WithdrawState } from "./withdraw_state.ts";
import type { ReviewedOffer } from "./withdrawal_facts.ts";

const steps = (initial: WithdrawState, events: readonly WithdrawEvent[]) => {
  let state = initial;
  return events.map((event) => (state = nextWithdraw(state, event)).step);
};

Deno.test("a withdrawal is reviewed before it is proved, and warnings must be accepted", () => {
  const events: WithdrawEvent[] = [
    { type: "confirm" },
    { type: "submit", recipient: " UQ " },
    failed("invalid_address"),
    { type: "submit", recipient: "UQ" },
    { type: "reviewed", review: review([{ code: "soon" }]) },
    { type: "confirm" },
    { type: "warnings_accepted", accepted: true },
    { type: "relayer_chosen", url: "https://evil" },
    { type: "relayer_chosen", url: "https://b" },
    { type: "confirm" },
    { type: "progress", progress: { stage: "proof", fraction: 0.5 } },
    { type: "submitted" },
    { type: "back" },
    { type: "paid", receipt },
  ];
  deepEqual(
    steps({ step: "form", id: "aa", recipient: "" }, events),
    [
      ...[
        "form",
        "checking",
        "form",
        "checking",
        "review",
        "review",
        "review",
        "review",
        "review",
        "running",
      ],
      ...["running", "running", "running", "done"],
    ],
  );
});

Deno.test("only relayers that cost no more may replace the chosen one", () => {
  const order = (url: string) => {
    const state = [
      { type: "reviewed", review: review([]) },
      { type: "relayer_chosen", url },
      { type: "confirm" },
    ].reduce((state, event) => nextWithdraw(state, event as WithdrawEvent), {
      step: "checking",
      id: "aa",
      recipient: "UQ",
    } as WithdrawState);
    return state.step === "running" ? state.offers.map(({ url }) => url) : [];
  };
  deepEqual(order("https://b"), ["https://b", "https://a"]);
  deepEqual(order("https://c"), ["https://c", "https://a", "https://b"]);
});

Deno.test("a relayer that pays a smaller refund does not replace the chosen one", () => {
  const [a, b] = offers;
  const reviewed = { ...review([]), offers: [{ ...a, refund: 5n }, { ...b, refund: 4n }] };
  const state = {
    step: "review",
    id: "aa",
    isSubmitted: false,
    review: reviewed,
    accepted: true,
    isFeeAccepted: true,
  } as const;
  const chosen = (url: string) => {
    const running = nextWithdraw({ ...state, chosen: url }, { type: "confirm" });
    return running.step === "running" && running.offers.map(({ url }) => url);
  };
  deepEqual(chosen(a.url), [a.url]);
  deepEqual(chosen(b.url), [b.url, a.url]);
});

Deno.test("another relayer keeps the acceptance of warnings unless it adds one", () => {
  const [soon, gas] = [{ code: "soon" }, { code: "no_gas" }];
  const accepted = (
    from: readonly { code: string }[],
    to: readonly { code: string }[],
    accepted: boolean,
  ) => {
    const [a, b] = [{ ...offers[0], warnings: from }, { ...offers[1], warnings: to }];
    const reviewed = { ...review([]), offers: [a, b] };
    const checking = { step: "checking", id: "aa", recipient: "UQ", isSubmitted: false } as const;
    const state = [
      { type: "reviewed", review: reviewed },
      ...accepted ? [{ type: "warnings_accepted", accepted }] : [],
      { type: "relayer_chosen", url: b.url },
    ].reduce((state, event) => nextWithdraw(state, event as WithdrawEvent), checking as WithdrawState);
    return state.step === "review" && state.accepted;
  };
  equal(accepted([], [gas], false), false, "a new warning was never shown");
  equal(accepted([soon], [soon, gas], true), false);
  equal(accepted([soon], [soon], true), true);
  equal(accepted([soon], [soon], false), false);
  equal(accepted([gas], [], false), true, "nothing is left to accept");
});

Deno.test("a high fee is accepted by itself, and a higher one again", () => {
  const [low, high, higher] = [1n, 5n, 6n].map((fee) => ({
    ...offerOf(`https://${fee}`, fee),
    warnings: [{ code: "soon" } as const],
    isFeeHigh: fee > 1n,
  }));
  const after = (events: readonly WithdrawEvent[], offers = [high, higher, low]) =>
    [{ type: "reviewed", review: { ...review([]), offers } } as const, ...events].reduce(
      nextWithdraw,
      { step: "checking", id: "aa", recipient: "UQ", isSubmitted: false } as WithdrawState,
    ).step;
  const [warnings, fee] = (["warnings_accepted", "fee_accepted"] as const).map((type) => ({
    type,
    accepted: true,
  }));
  const confirm = { type: "confirm" } as const;
  const choose = ({ url }: ReviewedOffer) => ({ type: "relayer_chosen", url }) as const;
  equal(after([warnings, confirm]), "review");
  equal(after([fee, confirm]), "review");
  equal(after([warnings, fee, confirm]), "running");
  equal(after([warnings, fee, { type: "fee_accepted", accepted: false }, confirm]), "review");
  equal(after([warnings, fee, choose(higher), confirm]), "review");
  equal(after([warnings, fee, choose(higher), choose(high), confirm]), "review");
  equal(after([warnings, choose(higher), fee, choose(high), confirm]), "running", "it costs less");
  equal(after([warnings, choose(low), confirm]), "running");
});
