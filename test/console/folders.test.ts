import { expect, it } from 'vitest';
import { folderPath } from '#src/services/files/folder-path.ts';
import { toFolder } from '../../console/src/api/folders.ts';

it.each([
  ['reports/2026', 'reports/2026'],
  ['', ''],
  ['/a//b/', 'a/b'],
  [' a / .. /./b', 'a/b'],
  ['../../etc', 'etc'],
  ['a\\b/c\u0000d\u202e', 'a_b/c_d_'],
  ['a\ud800', 'a\ufffd'],
  ['e\u0301', '\u00e9'],
  ['x/'.repeat(60), Array.from({ length: 50 }, () => 'x').join('/')],
  [`${'a'.repeat(600)}/${'b'.repeat(600)}`, 'a'.repeat(600)],
  ['a'.repeat(1_001), ''],
])('the folder of the path %j is accepted by the service', (path, folder) => {
  expect(toFolder(path)).toBe(folder);
  expect(folderPath.parse(toFolder(path))).toBe(folder);
});
