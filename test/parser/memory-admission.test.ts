import { expect, it } from 'vitest';
import { type Admission, MemoryAdmission } from '#parser/memory-admission.ts';
import { useFakeClock } from '#test/support/fake-clock.ts';

const letPass = useFakeClock();

/** Advances the clock by more than the polling interval of waiting documents. */
const settled = () => letPass(250);

/** Requests memory by name and records the order of admissions. `leave` frees the memory of a document. */
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
    /** Reports the decoded size of a document, and records when it may continue. */
    correct(name: string, bytes: number) {
      void inside
        .get(name)!
        .resize(bytes)
        .then(() => order.push(`${name} decoded`));
      return settled();
    },
    leave(name: string) {
      inside.get(name)![Symbol.dispose]();
      return settled();
    },
  };
}

it('admits documents as long as their bytes fit', async () => {
  const { order, enter, leave } = visitors(new MemoryAdmission(100));
  await enter('a', 'one', 60);
  await enter('b', 'one', 40);
  await enter('c', 'one', 1);
  expect(order).toEqual(['a', 'b']);
  await leave('b');
  expect(order).toEqual(['a', 'b', 'c']);
});

it('takes turns between tenants', async () => {
  const { order, enter, leave } = visitors(new MemoryAdmission(10));
  await enter('a', 'one', 10);
  for (const name of ['b', 'c', 'd']) await enter(name, 'one', 10);
  await enter('x', 'two', 10);
  for (const name of ['a', 'x', 'b', 'c']) await leave(name);
  expect(order).toEqual(['a', 'x', 'b', 'c', 'd']);
});

it('admits a file above the capacity alone, and no later file before it', async () => {
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

it('counts a place once even if it is released twice', async () => {
  const memory = new MemoryAdmission(10);
  const place = await memory.admit('one', 10);
  place[Symbol.dispose]();
  place[Symbol.dispose]();
  const { order, enter } = visitors(memory);
  await enter('a', 'one', 10);
  await enter('b', 'one', 10);
  expect(order).toEqual(['a']);
});

it('counts the decoded size of a document once the size is known', async () => {
  const { order, enter, leave, correct } = visitors(new MemoryAdmission(100));
  // Eight of these small files would fit at once, but each is large when it is decoded.
  await enter('a', 'one', 10);
  await correct('a', 80);
  await enter('b', 'one', 10);
  await correct('b', 80);
  await enter('c', 'one', 10);
  expect(order).toEqual(['a', 'a decoded', 'b']);
  await leave('a');
  expect(order).toEqual(['a', 'a decoded', 'b', 'b decoded', 'c']);
});

it('continues with one document at a time if all of them turn out to be large', async () => {
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
