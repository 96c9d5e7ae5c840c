import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { Service } from './service.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL that returns the base URL of the shared service and starts the service on first use. */
    sharedService: string;
  }
}

/** Starting a service is expensive, so test files share one. */
export default async function setup(project: TestProject) {
  const service = new Service({ ALLOW_PRIVATE_ADDRESSES: 'true' });
  let started: Promise<void> | undefined;
  const server = createServer((_request, response) => {
    started ??= service.start();
    started.then(
      () => response.end(service.base),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  project.provide('sharedService', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.close();
    await started?.catch(() => {});
    await service.end();
  };
}
