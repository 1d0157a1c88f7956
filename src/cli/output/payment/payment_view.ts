/** Shows what a phone must scan or open to pay: links, QR codes and the state of a connected wallet. */
import { encode, renderSVG, renderUnicodeCompact } from "uqr";
import type { WalletPayer } from "../../../client/tonconnect/bridge.ts";
import { Problem } from "../../../core/errors/problem.ts";
import type { Network } from "../../../core/protocol/network.ts";
import type { CliContext, OutputFile } from "../../context.ts";
import { CommandView, type OutputOptions } from "../print.ts";
import { escapeLine } from "../sanitize.ts";

const TERMINAL_QR_BORDER_MODULES = 1; // a wider border does not fit into 80 columns
const FILE_QR_BORDER_MODULES = 2;

export interface PaymentViewOptions extends OutputOptions {
  readonly network: Network;
  readonly qr?: string;
}

export class PaymentView<Options extends PaymentViewOptions = PaymentViewOptions>
  extends CommandView<Options> {
  readonly #qrFile;
  /** The name of the connected wallet. */
  #wallet: string | undefined;

  constructor(context: CliContext, options: Options, qrFile?: OutputFile) {
    super(context, options);
    this.#qrFile = qrFile;
  }

  /** @param link connects the wallet */
  showConnect(link: string, wallet: string): void {
    this.showUrl(
      link,
      { event: "connect", wallet, url: link },
      `To connect ${wallet}, open this link on the phone,\n` +
        "or scan the code below with the wallet's own scanner.\n" +
        "Do not share them: the first wallet to connect becomes the payer.\n\n" +
        `${link}\n`,
      "waiting for the wallet",
    );
  }

  showConnected({ name, address }: WalletPayer): void {
    this.#wallet = name;
    const text = address.toString({ bounceable: false, testOnly: this.options.network !== "mainnet" });
    if (this.writeEvent({ event: "connected", wallet: name, address: text })) return;
    this.printText(`connected ${name}, ${text}`);
  }

  /** @param seconds until the request expires */
  showRequest(what: string, seconds: number): void {
    if (this.#wallet === undefined || this.options.json) return;
    this.printText(`Confirm ${what} in ${this.#wallet} within ${seconds / 60} minutes.`);
    if (!this.options.quiet) this.progress.update("waiting for the payment; Ctrl-C stops waiting", 0);
  }

  protected get isConnected(): boolean {
    return this.#wallet !== undefined;
  }

  protected showUrl(url: string, event: object, text: string, waiting: string): void {
    this.progress.clear();
    const written = this.#writeQrFile(url);
    if (this.writeEvent(event)) return;
    if (this.options.quiet) return this.context.stdout.write(`${url}\n`);
    if (written) this.printText(`The QR code was written to ${this.options.qr}.`);
    this.printText(text);
    this.#printQrCode(url);
    this.progress.update(`${waiting}; Ctrl-C stops waiting`, 0);
  }

  #writeQrFile(url: string): boolean {
    try {
      this.#qrFile?.write(renderSVG(url, { ecc: "L", border: FILE_QR_BORDER_MODULES }));
      return this.#qrFile !== undefined;
    } catch (error) { // the link is still printed
      if (!(error instanceof Problem)) throw error;
      for (const { pointer, detail } of error.errors) {
        this.context.stderr.write(`${pointer}: ${escapeLine(detail)}\n`);
      }
      return false;
    }
  }

  #printQrCode(url: string): void {
    const { stdout } = this.context;
    const columns = encode(url, { ecc: "L", border: TERMINAL_QR_BORDER_MODULES }).size;
    if (stdout.isTerminal && columns <= stdout.columns) {
      stdout.write(`${renderUnicodeCompact(url, { ecc: "L", border: TERMINAL_QR_BORDER_MODULES })}\n\n`);
    } else if (stdout.isTerminal) {
      this.printText(
        `The QR code needs ${columns} columns. Widen the terminal${
          this.#qrFile ? "" : ", or write it to a file with --qr <file>"
        }.`,
      );
    }
  }
}
