/** What the service worker answers, in all languages, because it loads none. */
export const lostVersion =
  `A file of the version that you accepted was changed or lost, and this website no longer has it.
Your notes are still stored. Do not type your passphrase here before you know why: another page of this website may have changed the file.
To load the version that the website offers now, hold Shift and reload. With "tonado app" you can use your backup on your own computer.

Файл принятой вами версии изменён или потерян, и на этом сайте его больше нет.
Ваши ноты на месте. Не вводите здесь пароль, пока не узнаете причину: файл могла изменить другая страница этого сайта.
Чтобы загрузить версию, которую сайт предлагает сейчас, обновите страницу с нажатой клавишей Shift. Командой «tonado app» можно открыть копию на своём компьютере.
`;
