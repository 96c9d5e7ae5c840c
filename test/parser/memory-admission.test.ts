import { expect, it } from 'vitest';
import { type Admission, MemoryAdmission } from '#parser/memory-admission.ts';

/** Longer than those who wait take to look again. */
const settled = () => scheduler.wait(250);

/** Asks for memory by name and records who was admitted, in order; `leave` frees the memory of one. */
function visitors(memory: MemoryAdmission) {
  const inside = new Map<string, Admission>();
  const order: string[] = [];
  return {
    order,
    enter(name: string, tenant: string, bytes: number) {
      void memory.admit(tenant, bytes).then((place) => {
        inside.set(name, place);
        order.push(name);
      });
      return settled();
    },
    /** Says how large a document is when it is decoded, and records when it may go on. */
    correct(name: string, bytes: number) {
      void inside
        .get(name)!
        .correct(bytes)
        .then(() => order.push(`${name} decoded`));
      return settled();
    },
    leave(name: string) {
      inside.get(name)![Symbol.dispose]();
      return settled();
    },
  };
}

it('lets documents in as long as their bytes fit', async () => {
  const { order, enter, leave } = visitors(new MemoryAdmission(100));
  await enter('a', 'one', 60);
  await enter('b', 'one', 40);
  await enter('c', 'one', 1);
  expect(order).toEqual(['a', 'b']);
  await leave('b');
  expect(order).toEqual(['a', 'b', 'c']);
});

it('gives tenants turns', async () => {
  const { order, enter, leave } = visitors(new MemoryAdmission(10));
  await enter('a', 'one', 10);
  for (const name of ['b', 'c', 'd']) await enter(name, 'one', 10);
  await enter('x', 'two', 10);
  for (const name of ['a', 'x', 'b', 'c']) await leave(name);
  expect(order).toEqual(['a', 'x', 'b', 'c', 'd']);
});

it('lets a file above the capacity in alone, and nobody of a later turn past it', async () => {
  const { order, enter, leave } = visitors(new MemoryAdmission(10));
  await enter('a', 'one', 5);
  await enter('huge', 'one', 50);
  await enter('small', 'one', 1);
  expect(order).toEqual(['a']);
  await leave('a');
  expect(order).toEqual(['a', 'huge']);
  await leave('huge');
  expect(order).toEqual(['a', 'huge', 'small']);
});

it('counts a place that is given back twice once', async () => {
  const memory = new MemoryAdmission(10);
  const place = await memory.admit('one', 10);
  place[Symbol.dispose]();
  place[Symbol.dispose]();
  const { order, enter } = visitors(memory);
  await enter('a', 'one', 10);
  await enter('b', 'one', 10);
  expect(order).toEqual(['a']);
});

it('counts the decoded size of a document once it is known', async () => {
  const { order, enter, leave, correct } = visitors(new MemoryAdmission(100));
  // Small files that eight at a time would fit in, each of which is large when it is decoded.
  await enter('a', 'one', 10);
  await correct('a', 80);
  await enter('b', 'one', 10);
  await correct('b', 80);
  await enter('c', 'one', 10);
  expect(order).toEqual(['a', 'a decoded', 'b']);
  await leave('a');
  expect(order).toEqual(['a', 'a decoded', 'b', 'b decoded', 'c']);
});

it('lets documents that all turn out to be large go on one after the other', async () => {
  const { order, enter, leave, correct } = visitors(new MemoryAdmission(100));
  for (const name of ['a', 'b', 'c']) await enter(name, 'one', 10);
  for (const name of ['c', 'b', 'a']) await correct(name, 200);
  expect(order).toEqual(['a', 'b', 'c', 'a decoded']);
  await leave('a');
  expect(order).toContain('b decoded');
  expect(order).not.toContain('c decoded');
  await leave('b');
  expect(order).toContain('c decoded');
});
