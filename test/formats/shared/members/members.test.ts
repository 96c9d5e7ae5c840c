import { describe, expect, it } from 'vitest';
import type { Page } from '#src/documents/document.ts';
import { addMemberHeading } from '#src/formats/shared/members/member-heading.ts';
import { OpenDocumentCache } from '#src/formats/shared/members/members.ts';
import { NestingContext, type OpenFile } from '#src/formats/shared/members/nesting-context.ts';
import type { OpenDocument } from '#src/formats/shared/open-document.ts';
import { WorkBudget } from '#src/formats/shared/work-budget.ts';

const MIB = 1024 * 1024;
const never: OpenFile = () => Promise.reject(new Error('nothing is opened here'));

describe('NestingContext', () => {
  it('limits the total size of members and counts each member once', () => {
    const context = NestingContext.forOuterFile(never, new WorkBudget());
    for (let number = 0; number < 8; number++) context.reserve(number, 32 * MIB);
    expect(() => context.reserve(8, 1)).toThrow(/larger than 256 MiB in total/);
    expect(() => context.reserve(7, 32 * MIB)).not.toThrow();
  });

  it('rejects a single member that is too large', () => {
    const context = NestingContext.forOuterFile(never, new WorkBudget());
    expect(() => context.reserve(0, 32 * MIB + 1)).toThrow(/32 MiB/);
    expect(() => context.reserve(0, 32 * MIB)).not.toThrow();
  });
});

it('document cache closes documents to free memory and reopens them', async () => {
  const events: string[] = [];
  const open = async (key: string) =>
    ({ pageCount: 1, close: () => events.push(`close ${key}`) }) as unknown as OpenDocument;
  const kept = new OpenDocumentCache<string, OpenDocument>(
    async (key) => {
      events.push(`open ${key}`);
      return open(key);
    },
    () => 6 * MIB,
  );
  for (const key of ['a', 'b', 'a', 'c', 'b']) await kept.use(key, async () => undefined);
  // The most recently used document stays open, although it was opened first.
  expect(events).toEqual(['open a', 'open b', 'close b', 'open c', 'close a', 'open b']);
  events.length = 0;
  kept.close();
  expect(events).toEqual(['close c', 'close b']);
});

it('member heading is added to the first page only', () => {
  const page = (pageIndex: number) =>
    ({
      text: 'Words',
      markdown: 'Words',
      blocks: [],
      member: { path: 'a/b.txt', pageIndex },
    }) as unknown as Page;
  expect(addMemberHeading(page(0)).markdown).toBe('# a/b.txt\n\nWords');
  for (const at of [1, 2]) expect(addMemberHeading(page(at)).markdown).toBe('Words');
});
