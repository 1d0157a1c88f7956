/** The words of the screens that make, change and ask for a passphrase. */

export const passphraseEn = {
  newTitle: "Choose a passphrase",
  newLead:
    "It locks your notes on this device and in every backup. Five or six random words are good. Nobody can reset it: if you forget it, your money is lost.",
  label: "Passphrase",
  repeat: "Repeat passphrase",
  show: "Show what I type",
  capsLock: "Caps Lock is on.",
  draw: "Draw six words for me",
  drawnTitle: "Your six words",
  drawnLead: "They were drawn at random. Write them down on paper, in this order.",
  drawnLight:
    "This device has too little memory to protect a passphrase that you choose yourself. Six drawn words are strong enough. Write them down on paper, in this order.",
  drawnKeep: "Type them later with a space between them. The app cannot show them again.",
  drawnDone: "I have written them down",
  drawAgain: "Draw other words",
  drawing: "Drawing …",
  create: "Create my store",
  creating: "Encrypting takes a second …",
  too_short: "Use at least 12 characters. Several words are easy to remember.",
  not_enterable: "Leave out tabs and damaged characters. You could not type them again.",
  repetitive: "Use more different characters.",
  guessable: "Others would guess this soon. Use several words that do not belong together.",
  differs: "The two passphrases are not the same. Type them again.",
  openTitle: "Welcome back",
  openLead: "Your notes are locked.",
  replaced:
    "Your notes were changed in another tab. Unlock them again here, with the new passphrase if it was changed.",
  open: "Unlock",
  opening: "Unlocking …",
  passkey: "Use this device's passkey",
  looking: "Looking for your notes …",
  saveUnreadable: "Save the unreadable notes",
  saveUnreadableHint: "Another program may still read the file. Save it, then restore a backup.",
  forgotten: "I forgot it: use a backup",
  forgottenLead:
    "Nobody can look up or reset your passphrase. To get your notes back, use your recovery code, or a backup whose passphrase you know. Save the locked notes first, in case you remember the passphrase later.",
  saveLocked: "Save the locked notes",
  setAside: "Restore a backup",
  setAsideHint:
    "First check that your browser saved the file. This button removes the notes from this browser.",
};
