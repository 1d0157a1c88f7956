/** The targets for the gas of version 2 pools, and which of them each kind of pool misses. */
import type { GasFigures } from "./measure.ts";

const SHARE = ", with its share";

/**
 * The maximum gas of each message, by its name in the figures. The targets of native pools apply to jetton
 * pools too.
 */
export const v2Targets: Readonly<Record<string, number>> = {
  "deposit, by op": 6_500,
  "deposit, by comment": 12_000,
  "deposit, by comment in 2 cells": 14_000,
  "deposit, by comment in 3 cells": 14_000,
  "deposit, by comment in 4 cells": 14_000,
  "deposit that ends a list, by op": 6_500,
  "deposit that ends a list, by comment": 12_000,
  "deposit that ends a list, by op, 32,767 wait": 6_500,
  "deposit that ends a list, by comment, 32,767 wait": 12_000,
  deposit: 6_500,
  "settlement of 16": 175_000,
  "settlement of 16, 240 more wait": 175_000,
  "settlement of 16, 2,032 more wait": 175_000,
  "settlement of 16, 32,752 more wait": 175_000,
  "settlement of 16 that ends a list": 175_000,
  "settlement of 16 that ends a list, 2,032 more wait": 175_000,
  "settlement of 16 that ends a list, 32,752 more wait": 175_000,
  "withdrawal, newest root": 143_000,
  "withdrawal, older root": 143_000,
  "withdrawal, one of 8": 71_000,
  "withdrawal, one of 8, older root": 71_000,
  [`deposit, by op${SHARE}`]: 17_500,
  [`deposit, by op${SHARE}, 240 more wait`]: 17_500,
  [`deposit, by comment${SHARE}`]: 17_500,
  [`deposit, by comment${SHARE}, 240 more wait`]: 17_500,
  [`deposit${SHARE}`]: 17_500,
  [`deposit${SHARE}, 2,032 more wait`]: 17_500,
};

/** docs/gas.md gives the reasons. */
export const missedV2Targets = {
  native: [
    "deposit that ends a list, by op",
    "deposit that ends a list, by comment",
    "deposit that ends a list, by op, 32,767 wait",
    "deposit that ends a list, by comment, 32,767 wait",
    "settlement of 16, 240 more wait",
    "settlement of 16, 32,752 more wait",
    "settlement of 16 that ends a list",
    "settlement of 16 that ends a list, 32,752 more wait",
    "withdrawal, older root",
    "withdrawal, one of 8, older root",
    `deposit, by op${SHARE}, 240 more wait`,
    `deposit, by comment${SHARE}`,
    `deposit, by comment${SHARE}, 240 more wait`,
  ],
  jetton: [
    "deposit",
    "settlement of 16",
    "settlement of 16, 2,032 more wait",
    "settlement of 16 that ends a list",
    "settlement of 16 that ends a list, 2,032 more wait",
    "withdrawal, newest root",
    "withdrawal, older root",
    "withdrawal, one of 8",
    "withdrawal, one of 8, older root",
    `deposit${SHARE}`,
    `deposit${SHARE}, 2,032 more wait`,
  ],
} as const;

/** Returns the figures, and for deposits also those that include a sixteenth of their settlement. */
export function withShares(figures: GasFigures): GasFigures {
  const deposits = Object.keys(figures).filter((name) => /^deposit(, by (op|comment))?$/.test(name));
  const settlements = Object.keys(figures).flatMap((name) => {
    const more = /^settlement of 16(, .*)?$/.exec(name);
    return more === null || name.includes("32,752") ? [] : [{ name, more: more[1] ?? "" }];
  });
  const shares = deposits.flatMap((deposit) =>
    settlements.map(({ name, more }) =>
      [`${deposit}${SHARE}${more}`, figures[deposit] + Math.ceil(figures[name] / 16)] as const
    )
  );
  return { ...figures, ...Object.fromEntries(shares) };
}

/** Returns the names of the figures that exceed their target. */
export function missedTargets(figures: GasFigures): string[] {
  return Object.entries(withShares(figures)).filter(([name, gas]) => gas > v2Targets[name]).map(([name]) =>
    name
  );
}
