"""Serves toncenter/ton-http-api for a local network: its routes, schemas, JSON and error texts are the real ones.

Only pytonlib's wrapper of the C library (pytonlib/tonlibjson.py, class TonLib) is replaced, because a local network has
no lite server. The replacement returns the same TL objects. Prints the port, and serves until SIGTERM.
ton_http_api.txt lists the packages that it needs.

Usage: python ton_http_api.py <URL of the local network's JSON-RPC> <empty folder>
"""

import ctypes
import itertools
import json
import os
import signal
import socket
import sys

import pytonlib.client
import requests
import uvicorn
from pytonlib.tonlibjson import parse_tonlib_error

LOCALNET, FOLDER = sys.argv[1:]
TRANSACTIONS_PER_REQUEST = 10  # as tonlib asks a lite server for
NO_TRANSACTION = {"@type": "internal.transactionId", "lt": "0", "hash": "A" * 43 + "="}


def localnet(method, params=None):
    answer = requests.post(LOCALNET, json={"method": method, "params": params or {}}).json()
    if answer["ok"]:
        return answer["result"]
    raise parse_tonlib_error({"@type": "error", "code": 500, "message": answer["error"]})


def account_state(address):
    return localnet("getAddressInformation", {"address": address})


def account_address(text):
    return {"@type": "accountAddress", "account_address": text}


def to_raw_transaction(transaction):
    """Writes the addresses of messages as objects, from which pytonlib makes texts again."""
    for message in [transaction.get("in_msg"), *transaction["out_msgs"]]:
        for side in ("source", "destination") if message else ():
            message[side] = account_address(message[side])
    return transaction


def raw_transactions(query):
    """Returns a page of history: for lt 0, which an account without transactions has, an empty one."""
    account = query["account_address"]["account_address"]
    start = query["from_transaction_id"]
    limit = TRANSACTIONS_PER_REQUEST + 1
    page = {"address": account, "lt": str(start["lt"]), "hash": start["hash"], "limit": limit}
    rows = localnet("getTransactions", page) if int(start["lt"]) else []
    rest = rows[TRANSACTIONS_PER_REQUEST:]
    return {
        "@type": "raw.transactions",
        "transactions": [to_raw_transaction(row) for row in rows[:TRANSACTIONS_PER_REQUEST]],
        "previous_transaction_id": rest[0]["transaction_id"] if rest else NO_TRANSACTION,
    }


def to_argument(entry):
    kind = entry["@type"]
    if kind == "tvm.stackEntryNumber":
        return ["num", entry["number"]["number"]]
    if kind == "tvm.stackEntryCell":
        return ["tvm.Cell", entry["cell"]["bytes"]]
    return ["tvm.Slice", entry["slice"]["bytes"]]


def to_stack_entry(entry):
    kind, value = entry
    if kind == "num":
        number = {"@type": "tvm.numberDecimal", "number": str(int(value, 16))}
        return {"@type": "tvm.stackEntryNumber", "number": number}
    if kind == "cell":
        return {"@type": "tvm.stackEntryCell", "cell": {"@type": "tvm.cell", **value}}
    return {"@type": f"tvm.stackEntry{kind.capitalize()}", kind: value}


def lookup_block(query):
    block = {"workchain": query["id"]["workchain"]}
    if query["mode"] & 1:
        block["seqno"] = query["id"]["seqno"]
    if query["mode"] & 4:
        block["unixtime"] = query["utime"]
    return localnet("lookupBlock", block)


def run_get_method(address, query):
    method = query["method"]
    result = localnet(
        "runGetMethod",
        {
            "address": address,
            "method": method["name"] if "name" in method else method["number"],
            "stack": [to_argument(entry) for entry in query["stack"]],
        },
    )
    return {**result, "stack": [to_stack_entry(entry) for entry in result["stack"]]}


class LocalTonLib:
    """Has the methods of pytonlib's class that pytonlib/client.py calls."""

    def __init__(self, loop, ls_index, cdll_path=None, verbosity_level=0):
        # A lite server's process of its own must not outlive the server.
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
        self.loop = loop
        self.contracts = {}
        self.ids = itertools.count()

    def execute(self, query, timeout=10):
        return self.loop.run_in_executor(None, self.answer, query)

    async def close(self):
        pass

    def answer(self, query):
        kind = query["@type"]
        if kind in ("init", "sync"):
            return {"@type": "ok"}
        if kind == "withBlock":
            return self.answer(query["function"])
        if kind == "blocks.getMasterchainInfo":
            return localnet("getMasterchainInfo")
        if kind == "blocks.lookupBlock":
            return lookup_block(query)
        if kind == "raw.getAccountState":
            state = account_state(query["account_address"]["account_address"])
            del state["state"]  # pyTON/main.py computes it
            return state
        if kind == "raw.getTransactions":
            return raw_transactions(query)
        if kind == "raw.sendMessage":
            return localnet("sendBoc", {"boc": query["body"]})
        if kind == "getConfigParam":
            return localnet("getConfigParam", {"config_id": query["param"]})
        if kind == "smc.load":
            smc = next(self.ids)
            self.contracts[smc] = query["account_address"]["account_address"]
            return {"@type": "smc.info", "id": smc}
        if kind == "smc.runGetMethod":
            return run_get_method(self.contracts[query["id"]], query)
        if kind == "smc.getRawFullAccountState":
            return account_state(self.contracts[query["id"]])
        raise parse_tonlib_error({"@type": "error", "code": 500, "message": f"INTERNAL: {kind}"})


pytonlib.client.TonLib = LocalTonLib

with open(f"{FOLDER}/liteservers.json", "w") as config:
    json.dump({"liteservers": [{"ip": 0, "port": port} for port in range(2)]}, config)
os.environ["TON_API_TONLIB_LITESERVER_CONFIG"] = config.name
os.environ["TON_API_TONLIB_KEYSTORE"] = f"{FOLDER}/keystore/"

from pyTON.main import app  # noqa: E402: it reads the environment

listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
sys.stdout = sys.stderr  # for pyTON's log, because nothing reads more than the port
uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listener])
