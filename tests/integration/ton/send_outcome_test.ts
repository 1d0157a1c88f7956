/** The outcome of `wallet.send` when messages or their answers are lost, repeated or refused, on a local network. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { Address, SendMode, toNano } from "@ton/core";
import { Problem, type ProblemCode } from "../../../src/core/errors/problem.ts";
import { userKeys } from "../../../src/localnet/development_keys.ts";
import { startLocalnet } from "../../../src/localnet/localnet.ts";
import { connect } from "../../../src/ton/endpoint/toncenter.ts";
import { incomingMessagesSince } from "../../../src/ton/wallet/incoming_messages.ts";
import { confirmTransfer } from "../../../src/ton/wallet/transfer_inclusion.ts";
import { openWallet, type WalletVersion } from "../../../src/ton/wallet/wallet.ts";
import { FaultySends, type SendFault } from "../../support/endpoint/faulty_sends.ts";
import { testClock } from "../../support/endpoint/scripted_endpoint.ts";

const stranger = Address.parse("0:" + "ab".repeat(32));
const MAX_SKEW_SECONDS = 15;
const wrongSeqno = { v4R2: 33, v5R1: 133 } as const;
const falseSignature = { v4R2: 35, v5R1: 135 } as const;
const expired = { v4R2: 36, v5R1: 136 } as const;

/** Opens a wallet whose sends meet faults, and the same wallet without faults, as another program uses it. */
async function openScene({ mnemonic, version }: (typeof userKeys)[number]) {
  await using stack = new AsyncDisposableStack();
  const net = await startLocalnet({ blockTimeMs: 0, pools: [] });
  stack.defer(() => net.close());
  const faults: SendFault[] = [];
  const sends = new FaultySends(() => faults.shift() ?? "none");
  const clock = testClock();
  const chain = connect({ endpoint: net.url, fetch: sends.fetch, clock });
  const wallet = await openWallet(mnemonic, { version, network: "localnet", chain });
  const other = await openWallet(mnemonic, {
    version,
    network: "localnet",
    chain: connect({ endpoint: net.url }),
  });
  /** Returns the values in nano that the stranger has received, newest first. */
  const received = async () =>
    (await incomingMessagesSince(chain, stranger, undefined)).map(({ info }) =>
      info.type === "internal" ? info.value.coins : 0n
    );
  /** Lets the next attempts meet these faults, and the later ones none. */
  const meet = (...next: SendFault[]) => {
    faults.splice(0, Infinity, ...next);
    sends.refusals.length = 0;
  };
  const open = stack.move();
  return {
    net,
    chain,
    wallet,
    clock,
    received,
    sends,
    meet,
    /** Sends 1 nano while its attempts meet these faults. */
    pay(...next: SendFault[]) {
      meet(...next);
      return wallet.send([{ to: stranger, value: 1n, bounce: false }]);
    },
    /** A message of another program, with the seqno that the wallet has signed for already. */
    overtake: async () => void await other.send([{ to: stranger, value: 1_000n, bounce: false }]),
    /** Closes a block after which the last transfer has expired. */
    expire: async () => await net.setNow((await wallet.state()).now + 61),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

interface Case {
  readonly what: string;
  readonly faults: (scene: Scene) => readonly SendFault[];
  readonly outcome: "accepted" | "expired";
  /** Whether the endpoint reports that the wallet refused the message, and why. */
  readonly refusal?: Record<WalletVersion, number>;
  /** What the recipient gets from another transfer, in nano. */
  readonly fromOthers?: bigint[];
}

const lost = "lost before it arrives";
const late = "answered too late";
const always = (fault: SendFault): SendFault[] => Array.from({ length: 5 }, () => fault);

const cases: Case[] = [
  { what: "is lost once", faults: () => [lost], outcome: "accepted" },
  { what: "is lost in every attempt", faults: () => always(lost), outcome: "expired" },
  { what: "is accepted and dropped", faults: () => ["accepted and dropped"], outcome: "expired" },
  {
    what: "arrives, is answered too late, and is repeated",
    faults: () => [late],
    outcome: "accepted",
    refusal: wrongSeqno,
  },
  {
    what: "is still arriving when it is repeated",
    faults: () => [(forward) => (forward().then((response) => response.body?.cancel()), Promise.reject())],
    outcome: "accepted",
  },
  { what: "arrives and is never answered", faults: () => always(late), outcome: "accepted" },
  {
    what: "arrives late, after a rate limit",
    faults: () => ["over the rate limit", late, "over the rate limit"],
    outcome: "accepted",
    refusal: wrongSeqno,
  },
  {
    what: "is refused by a node that has its block, without a repeat by the client",
    faults: () => ["answered by the second of two nodes"],
    outcome: "accepted",
    refusal: wrongSeqno,
  },
  {
    what: "is refused because another program used the seqno",
    faults: ({ overtake }) => [async (forward) => (await overtake(), await forward())],
    outcome: "expired",
    refusal: wrongSeqno,
    fromOthers: [1_000n],
  },
  {
    what: "expires on its way",
    faults: ({ expire }) => [async (forward) => (await expire(), await forward())],
    outcome: "expired",
    refusal: expired,
  },
  {
    what: "is lost and expires before its repeat",
    faults: ({ expire }) => [lost, async (forward) => (await expire(), await forward())],
    outcome: "expired",
    refusal: expired,
  },
];

for (const key of [userKeys[0], userKeys[1]]) {
  const { version } = key;

  Deno.test(`a ${version} transfer without a certain refusal is returned, and the wallet's transactions show its fate`, async (t) => {
    await using scene = await openScene(key);
    await scene.pay(); // deploys the wallet
    for (const { what, faults, outcome, refusal, fromOthers = [] } of cases) {
      await t.step(`one that ${what}: ${outcome}`, async () => {
        const { chain, wallet, clock, expire, received, sends } = scene;
        const before = await received();
        const transfer = await scene.pay(...faults(scene));
        if (refusal) match(sends.refusals.join(), new RegExp(`exitcode=${refusal[version]},`));
        if (outcome === "accepted") await confirmTransfer(chain, wallet, transfer, { clock });
        else {
          const { now } = await wallet.state();
          await scene.net.setNow(Math.max(now, transfer.validUntil + MAX_SKEW_SECONDS));
          const end = { code: "chain_unavailable", message: /did not accept the transfer before it expired/ };
          await rejects(
            confirmTransfer(chain, wallet, transfer, { clock: { ...clock, sleep: expire } }),
            end,
          );
        }
        deepEqual(await received(), [...outcome === "accepted" ? [1n] : fromOthers, ...before]);
      });
    }
  });

  Deno.test(`a ${version} transfer that cannot have arrived is a problem, and nothing is paid`, async (t) => {
    await using scene = await openScene(key);
    await scene.pay();
    const { received } = scene;
    const before = await received();
    const refuses: SendFault = () =>
      Promise.resolve(Response.json({
        ok: false,
        error: `cannot apply external message to current state: exitcode=${falseSignature[version]}, steps=9`,
        code: 500,
      }, { status: 500 }));
    const certain: [what: string, faults: SendFault[], ProblemCode, members: Record<string, unknown>][] = [
      [
        "refused for its signature",
        [refuses],
        "contract_refused",
        { exitCode: falseSignature[version] },
      ],
      [
        "refused so after a rate limit",
        ["over the rate limit", refuses],
        "contract_refused",
        { exitCode: falseSignature[version] },
      ],
      ["over the rate limit in every attempt", always("over the rate limit"), "chain_unavailable", {}],
      ["forbidden", ["forbidden"], "chain_unavailable", {}],
    ];
    for (const [what, faults, code, members] of certain) {
      await t.step(`one that is ${what}: ${code}`, async () => {
        await rejects(scene.pay(...faults), (error: Problem) => {
          ok(error instanceof Problem, String(error));
          deepEqual([error.code, error.members], [code, members]);
          return true;
        });
        deepEqual(await received(), before);
      });
    }
  });
}

for (const key of userKeys.slice(0, 2)) {
  Deno.test(`a ${key.version} transfer that empties the wallet is not refused because its copy meets an empty wallet`, async () => {
    await using scene = await openScene(key);
    const { wallet, meet, received, sends } = scene;
    meet("answered by the second of two nodes");
    const sendMode = SendMode.CARRY_ALL_REMAINING_BALANCE + SendMode.IGNORE_ERRORS;
    await wallet.sender().send({ to: stranger, value: 0n, bounce: false, sendMode });
    equal(sends.refusals.length, 1);
    const [value] = await received();
    ok(value > toNano(9_000), String(value));
  });
}

Deno.test("a sender for contracts of @ton/core does not fail after a lost answer either", async () => {
  await using scene = await openScene(userKeys[0]);
  const { wallet, meet, received } = scene;
  meet(late);
  await wallet.sender().send({ to: stranger, value: 1n, bounce: false });
  deepEqual(await received(), [1n]);
});
