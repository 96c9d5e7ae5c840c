import { expect, it } from 'vitest';
import { Room } from '#parser/room.ts';
import { useFakeClock } from '#test/support/fake-clock.ts';

const letPass = useFakeClock();

/** Lets more time pass than a waiting document takes to look for room again. */
const settled = () => letPass(250);

/** Enters with each of these and tells in which order they got in; `leave` gives the place of one back. */
function visitors(room: Room) {
  const inside = new Map<string, Disposable>();
  const order: string[] = [];
  return {
    order,
    enter(name: string, tenant: string, bytes: number) {
      void room.enter(tenant, bytes).then((place) => {
        inside.set(name, place);
        order.push(name);
      });
      return settled();
    },
    leave(name: string) {
      inside.get(name)![Symbol.dispose]();
      return settled();
    },
  };
}

it('lets documents in as long as their bytes fit', async () => {
  const { order, enter, leave } = visitors(new Room(100));
  await enter('a', 'one', 60);
  await enter('b', 'one', 40);
  await enter('c', 'one', 1);
  expect(order).toEqual(['a', 'b']);
  await leave('b');
  expect(order).toEqual(['a', 'b', 'c']);
});

it('gives tenants turns', async () => {
  const { order, enter, leave } = visitors(new Room(10));
  await enter('a', 'one', 10);
  for (const name of ['b', 'c', 'd']) await enter(name, 'one', 10);
  await enter('x', 'two', 10);
  for (const name of ['a', 'x', 'b', 'c']) await leave(name);
  expect(order).toEqual(['a', 'x', 'b', 'c', 'd']);
});

it('lets a file above the capacity in alone, and nobody of a later turn past it', async () => {
  const { order, enter, leave } = visitors(new Room(10));
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
  const room = new Room(10);
  const place = await room.enter('one', 10);
  place[Symbol.dispose]();
  place[Symbol.dispose]();
  const { order, enter } = visitors(room);
  await enter('a', 'one', 10);
  await enter('b', 'one', 10);
  expect(order).toEqual(['a']);
});
