/** The screen where a depositor settles: the price, the wallet, and what the pool did. */
import type { Offer, SettleEvent, SettleState, SettleWallet } from "../flows/settle/settle_state.ts";
import type { PayerSource } from "../ports.ts";
import { texts } from "../text/texts.ts";
import { Button, Facts, type InStep, Notice, ProblemNotice, Progress, Step } from "./parts.tsx";
import { ConnectChoice, Connecting, WalletLink } from "./wallet_panel.tsx";

export interface SettleProps {
  readonly state: SettleState;
  readonly sources: readonly PayerSource[];
  readonly send: (event: SettleEvent) => void;
  readonly onDone: () => void;
}

export function SettleView(props: SettleProps) {
  const { state, send, onDone } = props;
  const { settle, deposit, app } = texts;
  switch (state.step) {
    case "settling":
      return <Settling {...props} state={state} />;
    case "done":
      return (
        <Step name="settled" title={settle.doneTitle}>
          <Notice kind="good" live="polite" text={settle.done[state.by]} />
          {state.mayStillSend && <Notice kind="warning" live="polite" text={settle.mayStillSend} />}
          <p>{settle.doneWait}</p>
          <Button kind="primary" onClick={onDone}>{deposit.toNotes}</Button>
        </Step>
      );
    case "failed":
      return (
        <Step name="settle-failed" title={settle.failedTitle} problem={state.problem}>
          <p>{settle.failedLead}</p>
          <Button kind="primary" onClick={() => send({ type: "retry" })}>{app.retry}</Button>
          <Button kind="quiet" onClick={onDone}>{deposit.toNotes}</Button>
        </Step>
      );
  }
}

function Settling({ state, sources, send, onDone }: InStep<SettleProps, "settling">) {
  const { settle, deposit } = texts;
  const { offer, wallet, notice, offline, seen } = state;
  // Once the user has decided, the progress takes the place of the explanations.
  const isDecided = wallet.at === "proving" || wallet.at === "asking" || wallet.at === "waiting";
  return (
    <Step
      name={offer ? "settle" : "settle-reading"}
      title={settle.title}
      lead={isDecided ? undefined : settle.lead}
    >
      {offline && <Notice kind="warning" live="polite" text={deposit.offline} />}
      {notice && (
        <Notice
          kind={notice === "next" ? "good" : "warning"}
          live="polite"
          text={settle.notice[notice]}
        />
      )}
      {offer ? <Price offer={offer} isDecided={isDecided} /> : <Progress label={settle.reading(seen)} />}
      {offer && (
        <div class="pay">
          <Wallet wallet={wallet} sources={sources} send={send} />
        </div>
      )}
      <Button kind="quiet" onClick={onDone}>{deposit.toNotes}</Button>
    </Step>
  );
}

function Price({ offer, isDecided }: { readonly offer: Offer; readonly isDecided: boolean }) {
  const { settle } = texts;
  const { count, value, cost, reward, rounds } = offer;
  return (
    <>
      <Facts
        facts={[
          [settle.settles, settle.deposits(count)],
          [settle.value, settle.exactly(value)],
          [settle.cost, settle.atMost(cost)],
          [settle.reward, settle.about(reward)],
          [settle.back, settle.about(value - cost + reward)],
        ]}
      />
      {rounds > 1 && !isDecided && <Notice kind="note" text={settle.rounds(rounds)} />}
      {!isDecided && (
        <Notice kind="warning" title={settle.publicTitle} text={settle.publicLead(count, rounds)} />
      )}
    </>
  );
}

function Wallet(
  { wallet, sources, send }: Pick<SettleProps, "sources" | "send"> & { readonly wallet: SettleWallet },
) {
  const { settle, deposit, app } = texts;
  switch (wallet.at) {
    case "none":
      return (
        <ConnectChoice
          problem={wallet.problem}
          sources={sources}
          isOnlyWay
          noWallet={settle.noWallet}
          send={send}
        />
      );
    case "connecting":
      return <Connecting wallet={wallet} send={send} />;
    case "ready":
      return (
        <section class="wallets">
          <ProblemNotice problem={wallet.problem} />
          <Button kind="primary" onClick={() => send({ type: "settle" })}>
            {settle.settle(wallet.payer.name)}
          </Button>
          <Button kind="quiet" onClick={() => send({ type: "wallet_left" })}>{deposit.change}</Button>
        </section>
      );
    case "proving": {
      const { progress } = wallet;
      return (
        <section class="wallets">
          <Progress
            label={settle.stage[progress.stage]}
            fraction={progress.stage === "pause" ? undefined : progress.fraction}
          />
          <p>{settle.notSent}</p>
          <Button kind="quiet" onClick={() => send({ type: "wallet_left" })}>{app.cancel}</Button>
        </section>
      );
    }
    case "asking":
      return (
        <section class="wallets">
          <Progress label={deposit.asking(wallet.payer.name)} />
          <p>{deposit.askingLead}</p>
          <WalletLink payer={wallet.payer} />
        </section>
      );
    case "waiting":
      return (
        <section class="wallets">
          <Progress label={deposit.waiting} />
          <p>{settle.waitingLead}</p>
        </section>
      );
  }
}
