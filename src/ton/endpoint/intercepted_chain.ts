import type { CallOptions, Chain } from "../chain.ts";

/** Runs `call`, or refuses it. `name` is the call's name in metrics. */
type Interceptor = <T>(name: string, call: () => Promise<T>, options?: CallOptions) => Promise<T>;

export function interceptChain(chain: Chain, intercept: Interceptor): Chain {
  return {
    ...chain,
    masterchainSeqno: (options) =>
      intercept("masterchainSeqno", () => chain.masterchainSeqno(options), options),
    masterchainSeqnoAt: (time, options) =>
      intercept("masterchainSeqnoAt", () => chain.masterchainSeqnoAt(time, options), options),
    account: (address, options) => intercept("account", () => chain.account(address, options), options),
    transactions: (address, options) =>
      intercept("transactions", () => chain.transactions(address, options), options),
    runGetMethod: (address, method, args, options) =>
      intercept("get", () => chain.runGetMethod(address, method, args, options), options),
    configParam: (id, options) => intercept("configParam", () => chain.configParam(id, options), options),
    send: (message, options) => intercept("send", () => chain.send(message, options), options),
  };
}
