const CONDITIONALS = new Set(
  'if ifx ifnum ifdim ifodd ifcat ifcase iftrue iffalse ifdefined ifcsname ifmmode ifhmode ifvmode'.split(
    ' ',
  ),
);

/**
 * Finds the branches that `\iffalse` hides. Returns the position after the `\else` or `\fi` that ends a branch,
 * by the position after the `\iffalse` that begins the branch. Branches without an end are left out.
 */
export function findHiddenBranches(latex: string): ReadonlyMap<number, number> {
  const branches = new Map<number, number>();
  const open: { isFalse: boolean; start: number }[] = [];
  for (const found of latex.matchAll(/%[^\n]*|\\(?:([a-zA-Z@]+)|[\s\S])/g)) {
    const name = found[1] ?? '';
    const after = found.index + found[0].length;
    if (CONDITIONALS.has(name)) open.push({ isFalse: name === 'iffalse', start: after });
    const last = open.at(-1);
    if (!last || (name !== 'else' && name !== 'fi')) continue;
    if (last.isFalse) branches.set(last.start, after);
    if (name === 'fi') open.pop();
    else last.isFalse = false;
  }
  return branches;
}
