/** A connected wallet's part of a deposit: connect, pay, wait. */
import type { DepositEvent, WalletStep } from "../flows/deposit/deposit_state.ts";
import type { Payer, PayerSource } from "../ports.ts";
import { texts } from "../text/texts.ts";
import { Button, Notice, ProblemNotice, Progress, QrCode } from "./parts.tsx";

export interface WalletPanelProps {
  readonly wallet: WalletStep;
  readonly sources: readonly PayerSource[];
  /** Whether a connected wallet is the only way to pay. */
  readonly isOnlyWay: boolean;
  readonly send: (event: DepositEvent) => void;
}

type ConnectEvent = Extract<DepositEvent, { type: "source_chosen" | "wallet_left" }>;

type ConnectChoiceProps = Pick<WalletPanelProps, "sources" | "isOnlyWay"> & {
  readonly problem: Extract<WalletStep, { at: "none" }>["problem"];
  /** Shown if there is no wallet. */
  readonly noWallet: string;
  readonly send: (event: ConnectEvent) => void;
};

/** The choice of wallets. An empty choice is shown only if a wallet is the only way to pay. */
export function ConnectChoice({ problem, sources, isOnlyWay, noWallet, send }: ConnectChoiceProps) {
  const { deposit } = texts;
  if (sources.length === 0 && !isOnlyWay) return null;
  return (
    <section class="wallets">
      <ProblemNotice problem={problem} />
      <h2>{deposit.connect}</h2>
      {sources.length === 0 && <Notice kind="warning" text={noWallet} />}
      <ul class="sources">
        {sources.map((source, i) => (
          <li key={source.id}>
            <Button
              kind={isOnlyWay && i === 0 ? "primary" : "plain"}
              onClick={() => send({ type: "source_chosen", source })}
            >
              {source.name}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The wait for a wallet, which a link or a QR code opens. */
export function Connecting(
  { wallet, send }: {
    readonly wallet: Extract<WalletStep, { at: "connecting" }>;
    readonly send: (event: ConnectEvent) => void;
  },
) {
  const { deposit, app } = texts;
  return (
    <section class="wallets">
      <Progress label={deposit.connecting(wallet.source.name)} />
      {wallet.link && (
        <>
          <a class="button primary" href={wallet.link} target="_blank" rel="noreferrer">
            {deposit.connectLink}
          </a>
          <div class="qr-frame">
            <QrCode text={wallet.link} label={deposit.connectQr} />
            <p class="hint">{deposit.connectQr}</p>
          </div>
        </>
      )}
      <Button kind="quiet" onClick={() => send({ type: "wallet_left" })}>{app.cancel}</Button>
    </section>
  );
}

/** Opens a connected wallet that runs on this device. */
export function WalletLink({ payer: { link } }: { readonly payer: Pick<Payer, "link"> }) {
  return link === undefined
    ? null
    : <a class="button" href={link} target="_blank" rel="noreferrer">{texts.deposit.connectLink}</a>;
}

export function WalletPanel({ wallet, sources, isOnlyWay, send }: WalletPanelProps) {
  const { deposit } = texts;
  switch (wallet.at) {
    case "none":
      if (wallet.question) {
        return sources.length > 0 || isOnlyWay
          ? (
            <section class="wallets">
              <p>{deposit.walletLater}</p>
            </section>
          )
          : null;
      }
      return (
        <ConnectChoice
          problem={wallet.problem}
          sources={sources}
          isOnlyWay={isOnlyWay}
          noWallet={deposit.noWallet}
          send={send}
        />
      );
    case "connecting":
      return <Connecting wallet={wallet} send={send} />;
    case "ready":
      return (
        <section class="wallets">
          <ProblemNotice problem={wallet.problem} />
          {wallet.notice && <Notice kind="warning" live="polite" text={deposit.notice[wallet.notice]} />}
          <Button kind="primary" onClick={() => send({ type: "pay" })}>
            {deposit.pay(wallet.payer.name)}
          </Button>
          <Button kind="quiet" onClick={() => send({ type: "wallet_left" })}>{deposit.change}</Button>
        </section>
      );
    case "proving":
      return <Progress label={deposit.proving} fraction={wallet.fraction} />;
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
          {wallet.notice && <Notice kind="warning" live="polite" text={deposit.notice[wallet.notice]} />}
          <Progress label={deposit.waiting} />
          {wallet.isLong && <p>{deposit.longWait}</p>}
          <p>{deposit.waitingLead}</p>
          {(wallet.payer === undefined || wallet.isLong) && !isOnlyWay && (
            <>
              <p>{deposit.notPaidLead}</p>
              <Button kind="plain" onClick={() => send({ type: "not_paid" })}>{deposit.notPaid}</Button>
            </>
          )}
        </section>
      );
    case "returning":
      return <Progress label={wallet.isOvertaken ? deposit.overtaken : deposit.returning} />;
  }
}
