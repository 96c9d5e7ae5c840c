import { describe, expect, it } from 'vitest';
import type { Page } from '#src/documents/document.ts';
import { headMember } from '#src/formats/shared/members/heading.ts';
import { Inside, type OpenFile } from '#src/formats/shared/members/inside.ts';
import { KeptOpen } from '#src/formats/shared/members/members.ts';
import type { OpenDocument } from '#src/formats/shared/open-document.ts';
import { WorkBudget } from '#src/formats/shared/work-budget.ts';

const MIB = 1024 * 1024;
const never: OpenFile = () => Promise.reject(new Error('nothing is opened here'));

describe('what may be inside a file', () => {
  it('is counted together by its bytes, and once however often a member is opened', () => {
    const inside = Inside.top(never, new WorkBudget());
    for (let number = 0; number < 8; number++) inside.take(number, 32 * MIB);
    expect(() => inside.take(8, 1)).toThrow(/more than 256 MiB together/);
    expect(() => inside.take(7, 32 * MIB)).not.toThrow();
  });

  it('is refused where one member alone is too large', () => {
    const inside = Inside.top(never, new WorkBudget());
    expect(() => inside.take(0, 32 * MIB + 1)).toThrow(/32 MiB/);
    expect(() => inside.take(0, 32 * MIB)).not.toThrow();
  });
});

it('closes documents when others need the room, and opens them again', async () => {
  const events: string[] = [];
  const open = async (key: string) =>
    ({ pageCount: 1, close: () => events.push(`close ${key}`) }) as unknown as OpenDocument;
  const kept = new KeptOpen<string, OpenDocument>(
    async (key) => {
      events.push(`open ${key}`);
      return open(key);
    },
    () => 6 * MIB,
  );
  for (const key of ['a', 'b', 'a', 'c', 'b']) await kept.use(key, async () => undefined);
  // The one that was used last stays, though it was opened first.
  expect(events).toEqual(['open a', 'open b', 'close b', 'open c', 'close a', 'open b']);
  events.length = 0;
  kept.close();
  expect(events).toEqual(['close c', 'close b']);
});

it('names a member on its first page alone', () => {
  const page = (pageIndex: number) =>
    ({
      text: 'Words',
      markdown: 'Words',
      blocks: [],
      member: { path: 'a/b.txt', pageIndex },
    }) as unknown as Page;
  expect(headMember(page(0)).markdown).toBe('# a/b.txt\n\nWords');
  for (const at of [1, 2]) expect(headMember(page(at)).markdown).toBe('Words');
});
