import { expect, it } from 'vitest';
import { vertexHost } from '#src/models/definition/vertex.ts';

it.each([
  ['europe-west4', 'europe-west4-aiplatform.googleapis.com'],
  ['global', 'aiplatform.googleapis.com'],
  ['eu', 'aiplatform.eu.rep.googleapis.com'],
  ['us', 'aiplatform.us.rep.googleapis.com'],
])('models of %s are called at %s', (location, host) => {
  expect(vertexHost(location)).toBe(host);
});
