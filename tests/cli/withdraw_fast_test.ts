/** `tonado withdraw --fast` tells nobody which deposit it is about before its owner has agreed to that. */
import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { noteId } from "../../src/client/note_store.ts";
import { commandScene } from "../support/command_scene.ts";
import { type Person, tonado } from "../support/in_process.ts";
import { another, serveApi } from "../support/lying_relayer.ts";

const to = Address.parse(`0:${"81".repeat(32)}`);

Deno.test("tonado withdraw --fast", async (t) => {
  await using scene = await commandScene();
  const { at, env, api, net } = scene;
  const [id] = (await scene.deposited(1)).map(noteId);
  const withdraw = (
    relayers: readonly { url: string }[],
    person: Person = {},
    more: readonly string[] = [],
  ) =>
    tonado(
      [
        ...["withdraw", id, ...at, "--to", to.toString(), "--fast", ...more],
        ...relayers.flatMap(({ url }) => ["--relayer", url]),
      ],
      env,
      person,
    );
  const toldThePath = ({ asked }: { asked: readonly string[] }) =>
    asked.some((path) => path.startsWith("/tree/path"));

  await t.step("a person who says no: the deposit is told to nobody", async () => {
    await using relayer = serveApi(api);
    const { code, stderr, asked } = await withdraw([relayer], { agrees: false });
    assert.deepEqual([code, stderr.includes("unconfirmed"), asked.length], [1, true, 1], stderr);
    assert.match(stderr, /it learns which deposit is yours/, "the warning comes before the question");
    assert.ok(!toldThePath(relayer), relayer.asked.join(" "));
  });

  await t.step(
    "a person that is not there: the deposit is told to nobody, and nothing is asked",
    async () => {
      await using relayer = serveApi(api);
      const { code, stderr, asked } = await withdraw([relayer], {});
      assert.deepEqual([code, stderr.includes("unconfirmed"), asked], [1, true, []], stderr);
      assert.ok(!toldThePath(relayer), relayer.asked.join(" "));
    },
  );

  await t.step("each relayer is agreed to by itself, though it asks for no more than the last", async () => {
    await using liar = serveApi(
      api,
      (path, answer) => path === "/tree/path" ? { ...answer, root: another(answer.root) } : answer,
    );
    await using honest = serveApi(api);
    const { code, stderr, asked } = await withdraw([liar, honest], {
      agrees: (question) => question.includes(liar.url),
    });
    assert.deepEqual([code, asked.length], [1, 2], stderr);
    assert.deepEqual([liar, honest].map(toldThePath), [true, false]);

    const agreed = await withdraw([liar, honest], { agrees: true });
    assert.deepEqual([agreed.code, agreed.asked.length], [0, 2], agreed.stderr);
    assert.equal((await net.chain.account(to)).balance, 950_000_000n);
  });
});
