/** The withdrawal screens: address, review of cost and warnings, progress, receipt. */
import { useState } from "preact/hooks";
import { isAboutRecipient } from "../flows/withdraw/withdraw.ts";
import type { WithdrawEvent, WithdrawState } from "../flows/withdraw/withdraw_state.ts";
import type { ReviewedOffer } from "../flows/withdraw/withdrawal_facts.ts";
import type { ProblemCode } from "../../core/errors/problem.ts";
import { texts } from "../text/texts.ts";
import { Check, Choice, Field, Form } from "./fields.tsx";
import { Button, Copyable, Facts, type InStep, Notice, ProblemNotice, Progress, Step } from "./parts.tsx";

export interface WithdrawProps {
  readonly state: WithdrawState;
  readonly amount: string;
  readonly send: (event: WithdrawEvent) => void;
  /** The host of the endpoint for withdrawals. */
  readonly endpoint: string;
  /** Whether to warn that one endpoint serves deposits and withdrawals. */
  readonly asksAboutEndpoint: boolean;
  readonly onEndpoint: (accepted: boolean) => void;
  /** Undefined if there is no camera. */
  readonly onScan?: ((onAddress: (address: string) => void) => void) | undefined;
  readonly onCopy: (value: string) => Promise<boolean>;
  readonly onDone: () => void;
}

/** After submission, these problems do not show whether the withdrawal failed. */
const SILENCE: ReadonlySet<ProblemCode> = new Set(["relayer_unavailable", "chain_unavailable"]);

export function WithdrawView(props: WithdrawProps) {
  const { state, amount, send } = props;
  const { withdraw, app } = texts;
  switch (state.step) {
    case "form":
      return <Recipient {...props} state={state} />;
    case "checking":
      return (
        <Step name="checking" title={withdraw.title(amount)} progress={withdraw.checking}>
          <Button kind="quiet" onClick={() => send({ type: "back" })}>{app.cancel}</Button>
        </Step>
      );
    case "review":
      return <Review {...props} state={state} />;
    case "running": {
      const { stage, fraction } = state.progress;
      return (
        <Step name="running" title={withdraw.runningTitle}>
          <Progress label={withdraw.stage[stage]} fraction={fraction} />
          <p>
            {state.isAccepted
              ? withdraw.safeToClose
              : state.isSubmitted
              ? withdraw.keepOpen
              : withdraw.notSent}
          </p>
          {state.mayFailover && <Failover send={send} />}
          {!state.isSubmitted && (
            <Button kind="quiet" onClick={() => send({ type: "back" })}>{app.cancel}</Button>
          )}
        </Step>
      );
    }
    case "done": {
      const { receipt } = state;
      return (
        <Step name="withdrawn" title={receipt.isOurs ? withdraw.doneTitle : app.problem}>
          {!receipt.isOurs && <Notice kind="problem" live="assertive" text={withdraw.notOurs} />}
          <section class="receipt">
            <h2>{withdraw.receipt}</h2>
            <Facts
              facts={[
                [receipt.isOurs ? withdraw.youGet : texts.report.facts.amount, app.decimal(receipt.paid)],
                [withdraw.fee, app.decimal(receipt.fee)],
                [withdraw.to, receipt.recipient, true],
              ]}
            />
            <Copyable label={withdraw.tx} value={receipt.tx} onCopy={props.onCopy} />
          </section>
          <Button kind="primary" onClick={props.onDone}>{app.done}</Button>
        </Step>
      );
    }
    case "failed":
      return <Failed {...props} state={state} />;
    case "left":
      return null;
  }
}

/** Offers another relayer after the first one had enough time. */
function Failover({ send }: Pick<WithdrawProps, "send">) {
  return (
    <>
      <p>{texts.withdraw.failoverLead}</p>
      <Button onClick={() => send({ type: "failover" })}>{texts.withdraw.failover}</Button>
    </>
  );
}

function Failed({ state, send, onDone }: InStep<WithdrawProps, "failed">) {
  const { withdraw, app } = texts;
  return (
    <Step name="withdraw-failed" title={withdraw.failedTitle}>
      {state.refusal
        ? (
          <Notice
            kind="warning"
            live="assertive"
            title={withdraw.refusal(state.refusal)}
            text={withdraw.refusalLead}
          />
        )
        : state.mayArrive && SILENCE.has(state.problem.code)
        ? <Notice kind="warning" live="assertive" title={withdraw.outOfSight} text={withdraw.mayArrive} />
        : <ProblemNotice problem={state.problem} />}
      <Button kind="primary" onClick={() => send({ type: "retry" })}>
        {state.mayArrive && !state.refusal ? withdraw.resume : app.retry}
      </Button>
      {state.mayFailover && !state.refusal && <Failover send={send} />}
      <Button kind="quiet" onClick={onDone}>{texts.deposit.toNotes}</Button>
    </Step>
  );
}

function Recipient(
  { state, amount, send, endpoint, asksAboutEndpoint, onEndpoint, onScan }: InStep<WithdrawProps, "form">,
) {
  const { withdraw } = texts;
  const [recipient, setRecipient] = useState(state.recipient);
  const isAboutAddress = state.problem !== undefined && isAboutRecipient(state.problem);
  return (
    <Step
      name="recipient"
      title={withdraw.title(amount)}
      lead={withdraw.lead}
      problem={isAboutAddress ? undefined : state.problem}
    >
      <Form onSubmit={() => recipient.trim() && send({ type: "submit", recipient })}>
        <Field
          id="recipient"
          label={withdraw.recipient}
          hint={withdraw.recipientHint}
          value={recipient}
          onInput={setRecipient}
          rows={2}
          isCode
          error={isAboutAddress
            ? `${texts.problems[state.problem!.code].text} ${texts.problems[state.problem!.code].next}`
            : undefined}
        />
        <p class="hint">{withdraw.asked(endpoint)}</p>
        {onScan && <Button onClick={() => onScan(setRecipient)}>{withdraw.scan}</Button>}
        <Button kind="primary" type="submit" disabled={recipient.trim() === ""}>{withdraw.next}</Button>
      </Form>
      {asksAboutEndpoint && (
        <Notice kind="note">
          <p>{withdraw.warning.same_endpoint?.()}</p>
          <div class="row">
            <Button onClick={() => onEndpoint(false)}>{withdraw.sharedSettings}</Button>
            <Button kind="quiet" onClick={() => onEndpoint(true)}>{withdraw.sharedAccept}</Button>
          </div>
        </Notice>
      )}
    </Step>
  );
}

function Review({ state, amount, send }: InStep<WithdrawProps, "review">) {
  const { withdraw, app } = texts;
  const { review, chosen } = state;
  const offer = review.offers.find(({ url }) => url === chosen)!;
  return (
    <Step name="review" title={withdraw.reviewTitle}>
      <Facts
        facts={[
          [withdraw.to, review.recipient, true],
          [withdraw.note, amount],
          [withdraw.fee, `${app.decimal(offer.feeText)} (${app.share(offer.feeShare)})`],
          [withdraw.youGet, app.decimal(offer.youGet)],
        ]}
      />
      {offer.isFeeHigh && (
        <Notice kind="warning" title={withdraw.keeps(app.decimal(offer.feeText), amount)}>
          <Check
            id="accept-fee"
            label={withdraw.acceptFee}
            checked={state.isFeeAccepted}
            onChange={(accepted) => send({ type: "fee_accepted", accepted })}
          />
        </Notice>
      )}
      {state.isSubmitted && <Notice kind="note" text={withdraw.sameAddress} />}
      <Links warnings={offer.warnings} accepted={state.accepted} send={send} />
      <details open={review.offers.length > 1 || review.refused.length > 0}>
        <summary>{withdraw.relayers}</summary>
        <p class="hint">{withdraw.relayersLead}</p>
        <fieldset class="choices">
          <legend class="visually-hidden">{withdraw.relayers}</legend>
          {review.offers.map(({ url, feeText, youGet, feeShare }) => (
            <Choice
              key={url}
              group="relayer"
              value={url}
              isChosen={url === chosen}
              onChoose={() => send({ type: "relayer_chosen", url })}
            >
              <span class="choice-main">{URL.parse(url)?.host ?? url}</span>
              <span class="hint">
                {`${withdraw.youGet} ${app.decimal(youGet)} · ${withdraw.fee} ${app.decimal(feeText)} (${
                  app.share(feeShare)
                })`}
              </span>
            </Choice>
          ))}
        </fieldset>
        {review.refused.map(({ url }) => (
          <p key={url} class="hint">{`${URL.parse(url)?.host ?? url}: ${withdraw.refused}`}</p>
        ))}
      </details>
      <Button
        kind="primary"
        disabled={!state.accepted || !state.isFeeAccepted}
        onClick={() => send({ type: "confirm" })}
      >
        {withdraw.confirm(app.decimal(offer.youGet))}
      </Button>
      <Button kind="quiet" onClick={() => send({ type: "back" })}>{app.back}</Button>
    </Step>
  );
}

function Links(
  { warnings, accepted, send }: Pick<ReviewedOffer, "warnings"> & Pick<WithdrawProps, "send"> & {
    readonly accepted: boolean;
  },
) {
  const { withdraw } = texts;
  if (warnings.length === 0) return <Notice kind="good" text={withdraw.nothing} />;
  return (
    <Notice kind="warning" title={withdraw.linksTitle}>
      <ul>
        {warnings.map(({ code, count }) => <li key={code}>{withdraw.warning[code]?.(count)}</li>)}
      </ul>
      <Check
        id="accept"
        label={withdraw.accept}
        checked={accepted}
        onChange={(accepted) => send({ type: "warnings_accepted", accepted })}
      />
    </Notice>
  );
}
