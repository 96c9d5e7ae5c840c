/** Greek letters of the entity set `ISOgrk1`, whose names HTML does not know: `&agr;` is α and `&Agr;` is Α. */
const LETTERS =
  'a:α b:β g:γ d:δ e:ε z:ζ ee:η th:θ i:ι k:κ l:λ m:μ n:ν x:ξ o:ο p:π r:ρ s:σ sf:ς t:τ u:υ ph:φ kh:χ ps:ψ oh:ω';

/** Other names of ISO entity sets that HTML does not know. */
const OTHERS: readonly (readonly [name: string, text: string])[] = [
  ['aacgr', 'ά'],
  ['eacgr', 'έ'],
  ['eeacgr', 'ή'],
  ['iacgr', 'ί'],
  ['oacgr', 'ό'],
  ['uacgr', 'ύ'],
  ['ohacgr', 'ώ'],
  ['b.alpha', '𝛂'],
  ['b.beta', '𝛃'],
  ['b.gamma', '𝛄'],
  ['b.delta', '𝛅'],
  ['b.mu', '𝛍'],
  ['b.sigma', '𝛔'],
  ['hearts', '♥'],
  ['male', '♂'],
  ['female', '♀'],
  ['rx', '℞'],
  ['fflig', 'ff'],
  ['ffilig', 'ffi'],
  ['ffllig', 'ffl'],
  ['sext', '✶'],
  ['check', '✓'],
];

/** Names of characters in the ISO entity sets of SGML that are not names of HTML. */
export const ISO_ENTITIES: ReadonlyMap<string, string> = new Map([
  ...OTHERS,
  ...LETTERS.split(' ').flatMap((pair) => {
    const [name = '', letter = ''] = pair.split(':');
    const capital = name[0]!.toUpperCase() + name.slice(1);
    const entries: [string, string][] = [[`${name}gr`, letter]];
    if (name !== 'sf')
      entries.push([`${capital}gr`, letter.toUpperCase()], [`${name.toUpperCase()}gr`, letter.toUpperCase()]);
    return entries;
  }),
]);
