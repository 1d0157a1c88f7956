/** The deposit screens: amount, backup, payment, done. */
import { useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import type {
  DepositEvent,
  DepositState,
  DepositTicket,
  PoolChoice,
  WalletStep,
} from "../flows/deposit/deposit_state.ts";
import type { UnusedConnection } from "../flows/settings.ts";
import type { PayerSource } from "../ports.ts";
import { texts } from "../text/texts.ts";
import { Check, Choice, Form } from "./fields.tsx";
import {
  Button,
  Copyable,
  type InStep,
  Notice,
  Progress,
  QrCode,
  Step,
  Steps,
  UnusedConnections,
} from "./parts.tsx";
import { WalletPanel } from "./wallet_panel.tsx";

export interface DepositProps {
  readonly state: DepositState;
  readonly pools: readonly (PoolChoice & { readonly retired: boolean })[];
  readonly isBackedUp: boolean;
  /** Whether the settings have a relayer. Without one, the app cannot withdraw. */
  readonly hasRelayer: boolean;
  /** Asks the relayers for their fees, which shows them that a deposit begins. */
  readonly onFees: () => Promise<void>;
  readonly unused: readonly UnusedConnection[];
  readonly sources: readonly PayerSource[];
  /** Returns the backup screen, shown in the second step, with a notice why it is needed. */
  readonly backup: (notice: string) => ComponentChildren;
  readonly send: (event: DepositEvent) => void;
  readonly onCopy: (value: string) => Promise<boolean>;
  readonly onSettings: () => void;
  readonly onDone: () => void;
}

const stepIndex: Readonly<Record<DepositState["step"], number>> = {
  choosing: 0,
  backup: 1,
  preparing: 2,
  opening: 2,
  paying: 2,
  failed: 2,
  done: 4,
  left: 3,
};

export function DepositView(props: DepositProps) {
  const { state } = props;
  return (
    <>
      <Steps steps={texts.deposit.steps} current={stepIndex[state.step]} label={texts.notes.deposit} />
      <Body {...props} />
    </>
  );
}

function Body(props: DepositProps) {
  const { state, send } = props;
  const { deposit } = texts;
  switch (state.step) {
    case "choosing":
      return <Amounts {...props} state={state} />;
    case "backup":
      return <>{props.backup(state.needsFile ? texts.backup.neededFile : texts.backup.needed)}</>;
    case "preparing":
      return (
        <Step
          name="preparing"
          title={texts.app.amount(state.pool.amount, state.pool.asset)}
          progress={deposit.preparing}
        />
      );
    case "opening":
      return <Step name="opening" title={texts.notes.deposit} progress={deposit.opening} />;
    case "paying":
      return <Paying {...props} state={state} />;
    case "done": {
      const { pool } = state.ticket;
      return (
        <Step name="deposited" title={deposit.doneTitle}>
          <Notice
            kind="good"
            live="polite"
            text={deposit.doneLead(texts.app.amount(pool.amount, pool.asset))}
          />
          {pool.version === 2 && <p>{deposit.doneQueue}</p>}
          <p>{deposit.doneWait}</p>
          <Button kind="primary" onClick={props.onDone}>{deposit.toNotes}</Button>
        </Step>
      );
    }
    case "failed":
      return (
        <Step name="deposit-failed" title={deposit.failedTitle} problem={state.problem}>
          {state.retry && <p>{deposit.laterLead}</p>}
          <Button kind="primary" onClick={() => send({ type: "retry" })}>{texts.app.retry}</Button>
          <Button kind="quiet" onClick={props.onDone}>{deposit.toNotes}</Button>
        </Step>
      );
    case "left":
      return null;
  }
}

function Amounts(props: InStep<DepositProps, "choosing">) {
  const { pools, isBackedUp, hasRelayer, send, state, onFees } = props;
  const { problem, sizes, fees } = state;
  const [isAccepted, setAccepted] = useState(hasRelayer);
  const [hasAskedFees, setAskedFees] = useState(false);
  const showsFees = hasRelayer && (hasAskedFees || (fees !== undefined && fees.size > 0));
  const { deposit, app } = texts;
  const open = pools.filter(({ retired }) => !retired);
  const [key, setKey] = useState(open[0]?.key);
  const pool = open.find((each) => each.key === key);
  return (
    <Step name="amount" title={deposit.title} lead={deposit.lead} problem={problem}>
      <UnusedConnections connections={props.unused} onSettings={props.onSettings} />
      {pools.length === 0 && <Notice kind="warning" text={deposit.none} />}
      {!hasRelayer && <Notice kind="warning" text={deposit.noRelayer} />}
      <Form onSubmit={() => pool && send({ type: "pool_chosen", pool, isBackedUp })}>
        <fieldset class="choices pools">
          <legend class="visually-hidden">{deposit.title}</legend>
          {pools.map((each) => (
            <Choice
              key={each.key}
              group="pool"
              value={each.key}
              isChosen={each.key === key}
              disabled={each.retired}
              onChoose={() => setKey(each.key)}
            >
              <span class="choice-main">{app.amount(each.amount, each.asset)}</span>
              <span class="way-to-pay">{wayToPay(each)}</span>
              {each.version === 1 && !each.retired && <span class="hint">{deposit.race}</span>}
              <Later longest={deposit.crowd(0)} text={textOf(sizes?.get(each.key), deposit.crowd)} />
              {showsFees && (
                <Later
                  longest={deposit.fee(app.amount("0.000", each.asset), app.share(0.1234))}
                  text={textOf(fees?.get(each.key), (fee) =>
                    deposit.fee(app.amount(fee, each.asset), app.share(Number(fee) / Number(each.amount))))}
                />
              )}
            </Choice>
          ))}
        </fieldset>
        {!hasRelayer && (
          <Check
            id="no-relayer"
            checked={isAccepted}
            onChange={setAccepted}
            label={deposit.acceptNoRelayer}
          />
        )}
        <Button kind="primary" type="submit" disabled={pool === undefined || !isAccepted}>
          {app.continue}
        </Button>
        {hasRelayer && !showsFees && (
          <Button
            kind="quiet"
            hint={["fees-hint", deposit.askFeesLead]}
            onClick={() => {
              setAskedFees(true);
              void onFees();
            }}
          >
            {deposit.askFees}
          </Button>
        )}
      </Form>
    </Step>
  );
}

/** A line that has a height before its text is known, so that no button moves under a finger. */
function Later({ longest, text }: { readonly longest: string; readonly text: string | undefined }) {
  return (
    <span class="hint crowd" data-longest={longest}>
      {text !== undefined && <span>{text}</span>}
    </span>
  );
}

function textOf<T>(value: T | undefined, write: (value: T) => string): string | undefined {
  return value === undefined ? undefined : write(value);
}

/** Two pools may have the same amount, so this line must distinguish them. */
function wayToPay({ retired, version, asset }: DepositProps["pools"][number]): string {
  const { deposit } = texts;
  if (retired) return deposit.retired;
  if (version === 1) return deposit.severalTries;
  return asset === "native" ? deposit.anyWallet : deposit.connected;
}

function Paying(props: InStep<DepositProps, "paying">) {
  const { state, onDone } = props;
  const { deposit, app } = texts;
  const { ticket, wallet, refused, offline } = state;
  const amount = app.amount(ticket.pool.amount, ticket.pool.asset);
  const isReading = state.isUnread === true && wallet.at === "none";
  const isBusy = isReading ||
    (wallet.at !== "none" && wallet.at !== "connecting" && wallet.at !== "ready");
  return (
    <Step
      name={`pay-${ticket.id}`}
      title={deposit.payTitle(amount)}
      lead={isBusy ? undefined : leadOf(ticket, wallet)}
    >
      {!isBusy && <UnusedConnections connections={props.unused} onSettings={props.onSettings} />}
      {offline && <Notice kind="warning" live="polite" text={deposit.offline} />}
      {refused && !showsRefusal(wallet) && (
        <Notice kind="warning" live="polite" text={deposit.refused(refused)} />
      )}
      {ticket.pool.asset === "native" && !isBusy && <p class="hint">{deposit.formerTicker}</p>}
      {ticket.chance !== undefined && !isBusy && <p class="chance">{deposit.chance(ticket.chance)}</p>}
      {isReading ? <Progress label={deposit.reading} /> : (
        <div class="pay">
          {ticket.payment && !isBusy && wallet.at === "none" && (
            <AnyWallet payment={ticket.payment} amount={ticket.pool.amount} onCopy={props.onCopy} />
          )}
          <WalletPanel
            wallet={wallet}
            isOnlyWay={ticket.payment === undefined}
            sources={props.sources}
            send={props.send}
          />
        </div>
      )}
      {!isBusy && <p class="hint watching" role="status">{deposit.watching}</p>}
      <Button kind="quiet" onClick={onDone}>{deposit.toNotes}</Button>
    </Step>
  );
}

/** Says how to pay a note before a wallet is asked. */
function leadOf({ payment, pool }: DepositTicket, { at }: WalletStep): string {
  const { deposit } = texts;
  if (payment && at === "none") return deposit.anyLead;
  return pool.version === 1 ? deposit.raceLead : deposit.connectedLead;
}

function showsRefusal(wallet: WalletStep): boolean {
  return wallet.at === "returning" || (wallet.at === "ready" && wallet.notice === "overtaken");
}

function AnyWallet(
  { payment, amount, onCopy }:
    & { readonly payment: NonNullable<DepositTicket["payment"]>; readonly amount: string }
    & Pick<DepositProps, "onCopy">,
) {
  const { deposit } = texts;
  return (
    <section class="any-wallet">
      <Notice kind="warning" text={deposit.exchange} />
      <a class="button primary" href={payment.url} rel="noreferrer">{deposit.openWallet}</a>
      <div class="qr-frame">
        <QrCode text={payment.url} label={deposit.qrLabel} />
        <p class="hint">{deposit.qr}</p>
      </div>
      <details>
        <summary>{deposit.byHand}</summary>
        <Copyable label={deposit.to} value={payment.to} onCopy={onCopy} />
        <Copyable label={deposit.amount} value={amount} onCopy={onCopy} />
        <Copyable
          label={deposit.comment}
          value={payment.comment}
          hint={deposit.commentHint}
          onCopy={onCopy}
        />
      </details>
    </section>
  );
}
