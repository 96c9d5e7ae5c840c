import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { declaredNames } from './functions.ts';
import type { RoomTable } from './room-table.ts';
import type { Route, Walk, WalkedFunction } from './walks.ts';

/** Measurements of one walk, the path of a value through the functions of the code. */
export interface WalkMeasures {
  functions: number;
  /** Number of visits to rooms. Consecutive functions of the same room are one stop. */
  stops: number;
  /** Number of different rooms that the value passes through. */
  rooms: number;
  /** Number of different names that the value, or its container, has in these functions. */
  names: number;
  /** Number of stops in a room that may import the previous room, so that the value moves up the layers. */
  climbs: number;
  /** Number of stops in a room that was visited before. */
  returns: number;
}

/** Measurements of a walk in one checkout, or the functions of its route that are missing there. */
export type MeasuredWalk =
  | { value: string; tree: string; measures: WalkMeasures }
  | { value: string; tree: string; missing: string[] };

/** Measures a walk in the checkout at `root`, using the last route whose functions all exist there. */
export function measureWalk(root: string, table: RoomTable, { value, routes }: Walk): MeasuredWalk {
  const checked = routes.map((route) => ({ route, missing: missingFunctions(root, route) }));
  const fitting = checked.findLast(({ missing }) => missing.length === 0);
  if (fitting) {
    const { tree, functions } = fitting.route;
    return { value, tree, measures: measureRoute(table, functions) };
  }
  const { route, missing } = checked.toSorted((a, b) => a.missing.length - b.missing.length)[0]!;
  return { value, tree: route.tree, missing };
}

/** Counts the stops of a route. A file outside all rooms counts as a separate room. */
export function measureRoute(table: RoomTable, functions: readonly WalkedFunction[]): WalkMeasures {
  const rooms = functions.map(([place]) => {
    const path = pathIn(place);
    return table.roomContaining(path) ?? path;
  });
  const stops = rooms.filter((room, at) => room !== rooms[at - 1]);
  const climbs = stops.filter((room, at) => at > 0 && table.mayUse(room, stops[at - 1]!));
  return {
    functions: functions.length,
    stops: stops.length,
    rooms: new Set(stops).size,
    names: new Set(functions.map(([, name]) => name)).size,
    climbs: climbs.length,
    returns: stops.length - new Set(stops).size,
  };
}

/** Lists the functions of a route that the checkout at `root` does not contain. */
export function missingFunctions(root: string, { functions }: Route): string[] {
  const places = [...new Set(functions.map(([place]) => place))];
  return places.filter((place) => {
    const file = join(root, pathIn(place));
    return !existsSync(file) || !declaredNames(readFileSync(file, 'utf8')).has(nameIn(place));
  });
}

const pathIn = (place: string) => place.slice(0, place.indexOf('#'));
const nameIn = (place: string) => place.slice(place.indexOf('#') + 1);
