/**
 * Finds the authentication mechanism that a setting names. Case, separators and the version of OAuth are
 * ignored, because clients write `oauth`, `OAuth2` or `oauth_2.0`. Returns `undefined` for an unknown name.
 */
export function findMechanism<Mechanism extends string>(
  mechanisms: readonly Mechanism[],
  given: string,
): Mechanism | undefined {
  return mechanisms.find((each) => normalizeName(each) === normalizeName(given));
}

const normalizeName = (name: string) =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z\d]/g, '')
    .replace(/^oauth20?$/, 'oauth');
