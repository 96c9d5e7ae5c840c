/** Quoted this often at most, besides once for the path. */
const MOST_ROUNDS = 3;

/** What an id from a path may mean, likeliest first: as it is, then unquoted again and again, `+` for a space too. */
export function spellingsOf(id: string): string[] {
  const spellings = new Set([id]);
  let round = [id];
  for (let rounds = 0; rounds < MOST_ROUNDS; rounds += 1) {
    round = round.flatMap((each) => [unquoted(each), unquoted(each.replaceAll('+', ' '))]);
    for (const each of round) spellings.add(each);
  }
  return [...spellings];
}

function unquoted(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
