/** What a new version of the app would change: its files by name, its settings value by value. */
import type { VersionChanges } from "../updates/version_changes.ts";
import { texts } from "../text/texts.ts";

export function Changes({ changes }: { readonly changes: VersionChanges | undefined }) {
  const { versions, settings } = texts;
  if (changes === undefined) return null;
  const { files } = changes;
  const labels: Readonly<Record<string, string>> = {
    depositEndpoint: settings.depositEndpoint,
    withdrawalEndpoint: settings.withdrawalEndpoint,
    relayers: versions.relayers,
    connect: versions.connect,
    bridges: versions.bridges,
  };
  return (
    <>
      {changes.settings.length > 0 && (
        <>
          <dl class="facts changes">
            {changes.settings.map(({ name, removed, added }) => (
              <div key={name}>
                <dt>{labels[name] ?? name}</dt>
                <dd>
                  {removed.map((value) => (
                    <p key={value}>
                      {versions.removed} <code>{value}</code>
                    </p>
                  ))}
                  {added.map((value) => (
                    <p key={value}>
                      {versions.added} <code>{value}</code>
                    </p>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
          <p>{versions.settingsLead}</p>
        </>
      )}
      <p>{files.length > 0 ? versions.filesLead : versions.sameFiles}</p>
      {files.length > 0 && (
        <details>
          <summary>{versions.files(files.length)}</summary>
          <ul>
            {files.map((name) => (
              <li key={name}>
                <code>{name}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
