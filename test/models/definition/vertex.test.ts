import { expect, it } from 'vitest';
import { getVertexHost } from '#src/models/definition/vertex.ts';

it.each([
  ['europe-west4', 'europe-west4-aiplatform.googleapis.com'],
  ['global', 'aiplatform.googleapis.com'],
  ['eu', 'aiplatform.eu.rep.googleapis.com'],
  ['us', 'aiplatform.us.rep.googleapis.com'],
])('location %s uses the host %s', (location, host) => {
  expect(getVertexHost(location)).toBe(host);
});
