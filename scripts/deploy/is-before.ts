export function isBefore(one: string, other: string): boolean {
  const [a, b] = [one, other].map((each) => each.split('.').map(Number));
  const at = a!.findIndex((part, n) => part !== b![n]);
  return at >= 0 && a![at]! < b![at]!;
}
