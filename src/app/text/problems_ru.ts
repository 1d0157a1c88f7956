/** The Russian texts for each problem, with the next step. */
import type { ProblemCode } from "../../core/errors/problem.ts";
import type { ProblemText } from "./problems_en.ts";

const relayerRefused: ProblemText = {
  text: "Релеер не принял вывод.",
  next:
    "Ваша нота в безопасности. Повторите через минуту или добавьте релеер в настройках или при запуске tonado app.",
};
const relayerBusy: ProblemText = {
  text: "Релеер занят.",
  next:
    "Ваша нота в безопасности. Подождите минуту и повторите или добавьте релеер в настройках или при запуске tonado app.",
};
const poolTrouble: ProblemText = {
  text: "Этот пул сейчас не может платить.",
  next: "Ваша нота в безопасности. Повторите позже.",
};
const appFault: ProblemText = {
  text: "В приложении произошла ошибка.",
  next: "Ноты в хранилище целы. Перезагрузите страницу. Если ошибка повторится, сообщите о ней.",
};
const endpointTrouble: ProblemText = {
  text: "Сеть не отвечает.",
  next: "Проверьте подключение к интернету и повторите. В настройках можно ввести другой узел.",
};
/** Text of problems that only operators and commands can have. */
const notHere: ProblemText = {
  text: "В приложении это сделать нельзя.",
  next: "Воспользуйтесь программой tonado или перезагрузите страницу.",
};

function forAll<C extends ProblemCode>(text: ProblemText, ...codes: readonly C[]) {
  return Object.fromEntries(codes.map((code) => [code, text])) as Record<C, ProblemText>;
}

export const problemsRu: Readonly<Record<ProblemCode, ProblemText>> = {
  wrong_passphrase: {
    text: "Парольная фраза не подходит.",
    next: "Проверьте заглавные буквы и пробелы и введите её ещё раз. Сбросить её нельзя.",
  },
  out_of_memory: {
    text: "На устройстве мало свободной памяти, чтобы зашифровать или открыть ноты.",
    next: "Закройте другие вкладки и программы и повторите попытку или используйте компьютер.",
  },
  note_store_corrupted: {
    text: "Этот файл или ноты этого браузера не читаются.",
    next: "Используйте резервную копию: последний сохранённый файл или бумагу.",
  },
  note_store_in_use: {
    text: "С вашими нотами работает другая вкладка.",
    next: "Завершите работу там или закройте её, затем повторите здесь.",
  },
  wrong_backup: {
    text: "Это резервная копия других нот.",
    next: "Выберите файл, который вы только что сохранили, или сделайте новую копию.",
  },
  seed_conflict: {
    text: "Ваши ноты созданы из другого кода восстановления.",
    next: "Ничего не изменилось. Сначала сделайте копию и удалите это хранилище в настройках.",
  },
  seed_missing: {
    text: "У этих нот ещё нет кода восстановления.",
    next: "Сделайте резервную копию, при этом код появится, или восстановите код.",
  },
  invalid_seed: {
    text: "В этом коде восстановления неверен или пропущен символ.",
    next: "Сверьте его с вашей записью по четыре символа и исправьте.",
  },
  invalid_note: {
    text: "Это не полная нота и не полный код.",
    next: "Скопируйте текст целиком, от первой буквы до последней, и повторите.",
  },
  note_gap_reached: {
    text: "Вы начали много депозитов в этот пул и не внесли их.",
    next: "Сначала завершите один из них. Они показаны в разделе «Ноты».",
  },
  unknown_note: { text: "Этой ноты нет в хранилище.", next: "Вернитесь к нотам и выберите её ещё раз." },
  write_failed: {
    text: "Браузер не смог сохранить ноты.",
    next:
      "Освободите место или разрешите хранить данные. Если не помогло, перезагрузите страницу. Старые ноты целы.",
  },
  store_unavailable: {
    text: "Браузер не даёт этой странице доступа к своему хранилищу.",
    next:
      "Закройте другие вкладки и перезагрузите страницу. Если не поможет, выйдите из приватного режима или разрешите хранение.",
  },
  wallet_declined: {
    text: "Кошелёк сообщил, что вы отказались.",
    next: "Подключите его ещё раз или выберите другой кошелёк.",
  },
  wallet_unavailable: {
    text: "Кошелёк не дал ясного ответа.",
    next: "Прежде чем платить снова, посмотрите историю кошелька.",
  },
  camera_unavailable: {
    text: "Камера недоступна.",
    next: "Разрешите странице камеру или введите текст вручную.",
  },
  passkey_unavailable: {
    text: "Ключ доступа не сработал.",
    next: "Введите парольную фразу. Она работает всегда.",
  },
  insufficient_funds: {
    text: "В этом кошельке не хватает денег.",
    next: "Добавьте сумму и GRAM на комиссию, также при оплате токенами, или подключите другой кошелёк.",
  },
  payment_timeout: {
    text: "Платёж ещё не пришёл.",
    next: "Если вы заплатили, не закрывайте страницу. Если нет, повторите попытку.",
  },
  contract_refused: {
    text: "Пул вернул платёж.",
    next: "Деньги вернутся в кошелёк отправителя за вычетом комиссии. Проверьте его и повторите.",
  },
  pool_retired: { text: "Этот пул больше не принимает депозиты.", next: "Выберите другую сумму." },
  pool_closed: {
    text: "Этот пул сейчас не принимает депозиты.",
    next: "Повторите позже или выберите другую сумму.",
  },
  tree_full: { text: "Этот пул заполнен.", next: "Выберите другую сумму." },
  wrong_pool: {
    text: "Это не пул этой ноты или не пул этого приложения.",
    next: "Не платите в него и перезагрузите страницу. Ноты других пулов выводит программа tonado.",
  },
  unknown_pool: {
    text: "Этот пул здесь неизвестен.",
    next: "Выберите другую сумму или добавьте релеер в настройках или при запуске tonado app.",
  },
  wrong_network: {
    text: "Это из другой сети.",
    next: "Проверьте, что кошелёк, узел и файл относятся к той же сети, что и приложение.",
  },
  invalid_address: {
    text: "На такой адрес заплатить нельзя.",
    next: "Скопируйте адрес из кошелька целиком. Он начинается с UQ или EQ, в тестовой сети с 0Q или kQ.",
  },
  unpayable_recipient: {
    text: "Деньги, отправленные на этот адрес, пропали бы.",
    next: "Ничего не отправлено. Укажите адрес своего кошелька.",
  },
  commitment_not_found: {
    text: "Депозит этой ноты ещё не готов.",
    next: "Если вы только что заплатили, подождите несколько минут. Если дольше, посмотрите раздел «Ноты».",
  },
  nullifier_already_used: {
    text: "Эта нота уже выведена.",
    next: "В разделе «Ноты» нажмите «Проверить ноты». Если это были не вы, ваша нота есть у кого-то ещё.",
  },
  note_paid_elsewhere: {
    text: "Эта нота выплачена на другой адрес.",
    next: "Если это были не вы, у кого-то есть копия ваших нот. Выведите остальные сейчас.",
  },
  note_unspent: {
    text: "Эта нота ещё не выведена.",
    next: "Сначала выведите её. Отчёт, сделанный сейчас, выдал бы ваш вывод.",
  },
  relayer_unavailable: {
    text: "Ни один релеер не выполнил запрос.",
    next:
      "Ваша нота в безопасности. Повторите через минуту или добавьте релеер в настройках или при запуске tonado app.",
  },
  fee_above_limit: {
    text: "Комиссия тем временем выросла.",
    next: "По новой цене ничего не отправлено. Посмотрите цены и решите ещё раз.",
  },
  tree_incomplete: {
    text: "Релеер отстаёт от сети.",
    next: "Ваша нота в безопасности. Повторите через минуту.",
  },
  unknown_root: { text: "Пул тем временем изменился.", next: "Ваша нота в безопасности. Повторите попытку." },
  stale_root: { text: "Пул тем временем изменился.", next: "Ваша нота в безопасности. Повторите попытку." },
  artifact_unavailable: {
    text: "Не удалось загрузить нужные файлы.",
    next: "Проверьте подключение к интернету и повторите.",
  },
  artifact_corrupted: {
    text: "Файл с этого сайта не тот, который ожидает приложение.",
    next: "Не продолжайте. Перезагрузите страницу. Если не поможет, используйте программу tonado.",
  },
  chain_unavailable: endpointTrouble,
  chain_inconsistent: {
    text: "Ответы сети противоречат друг другу или часам этого устройства.",
    next:
      "Проверьте дату и время устройства. Потом повторите через минуту или введите другой узел в настройках.",
  },
  invalid_report: {
    text: "Это не полный отчёт.",
    next: "Попросите исходный файл.",
  },
  report_verification_failed: { text: "Этот отчёт неверен.", next: "Не полагайтесь на него." },
  cancelled: { text: "Вы это остановили.", next: "Можно начать снова." },
  invalid_request: {
    text: "Файл слишком большой, другого вида или не читается.",
    next: "Выберите нужный файл.",
  },
  invalid_amount: { text: "Это не сумма.", next: "Введите число, например 0.5." },
  invalid_config: { text: "Одна из настроек неверна.", next: "Исправьте отмеченное поле." },
  ...forAll(appFault, "invalid_registry", "internal", "constraints_unsatisfied", "invalid_proof"),
  ...forAll(appFault, "proof_invalid", "not_in_field", "confirmation_required", "secret_in_body"),
  ...forAll(relayerRefused, "fee_not_below_denomination", "withdrawal_not_found", "relayer_mismatch"),
  ...forAll(relayerRefused, "recipient_mismatch", "fee_mismatch", "refund_mismatch", "fee_below_floor"),
  ...forAll(relayerRefused, "fee_below_cost", "fee_min_missing", "refund_above_limit", "relayer_balance_low"),
  ...forAll(relayerRefused, "request_timeout", "body_too_large", "unsupported_media_type"),
  ...forAll(relayerRefused, "method_not_allowed", "not_found"),
  ...forAll(relayerBusy, "not_ready", "overloaded", "rate_limited", "hourly_cap_reached", "retry_later"),
  ...forAll(relayerBusy, "verification_busy"),
  payouts_blocked: poolTrouble,
  ...forAll(notHere, "cache_unavailable", "store_conflict", "not_leader", "unknown_store", "store_not_empty"),
  ...forAll(notHere, "store_corrupted", "invalid_export", "folder_in_use", "deployment_refused"),
  ...forAll(notHere, "rescue_refused", "audit_failed", "invalid_ceremony"),
};
