import {
  type Count,
  countByImporters,
  countBySize,
  countParameterImporters,
  filesOfSrc,
  findCrowdedFolders,
  findMutualFolders,
  findSmallParts,
  measureTopFolders,
} from './file-measures.ts';
import { findLongFunctions, type LongFunction } from './functions.ts';
import { grantedPermissions, loadRoomTable, roomsOfFiles, usedPermissions } from './room-table.ts';
import { readSourceFiles } from './source-files.ts';
import { type MeasuredWalk, measureWalk } from './walk-measures.ts';
import { WALKS } from './walks.ts';

/** Measurements of the code structure of one checkout. */
export interface Structure {
  /** Labelled numbers in the order in which the report prints them. */
  figures: Count[];
  mutualFolders: (readonly [string, string])[];
  crowdedFolders: Count[];
  longFunctions: LongFunction[];
  topFolders: { folder: string; files: number; lines: number }[];
  walks: MeasuredWalk[];
}

/**
 * Measures the checkout at `root`. The sources are only read, except for `scripts/rooms.ts`, which is
 * imported.
 */
export async function measureStructure(root: string): Promise<Structure> {
  const files = readSourceFiles(root);
  const table = await loadRoomTable(root);
  const mutualFolders = findMutualFolders(files);
  const crowdedFolders = findCrowdedFolders(files);
  const longFunctions = findLongFunctions(root);
  const figures: Count[] = [
    { label: 'rooms', count: table.rooms.length },
    { label: 'rooms that are lists of files', count: roomsOfFiles(table).length },
    { label: 'import permissions granted', count: grantedPermissions(table).length },
    { label: 'import permissions used', count: usedPermissions(table, files).length },
    { label: 'pairs of folders that import each other', count: mutualFolders.length },
    { label: 'folders with more than 20 files', count: crowdedFolders.length },
    { label: 'files of `src`', count: filesOfSrc(files).length },
    ...[...countBySize(files), ...countByImporters(files)].map(({ label, count }) => ({
      label: `files with ${label}`,
      count,
    })),
    { label: 'files with fewer than 25 lines and 1 importer', count: findSmallParts(files).length },
    { label: 'functions with more than 80 lines', count: longFunctions.length },
    { label: 'importers of the parse parameters', count: countParameterImporters(files) },
  ];
  return {
    figures,
    mutualFolders,
    crowdedFolders,
    longFunctions,
    topFolders: measureTopFolders(files),
    walks: WALKS.map((walk) => measureWalk(root, table, walk)),
  };
}
