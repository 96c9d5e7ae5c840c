import { parentPort } from 'node:worker_threads';
import { startVendors } from '../../test/vendors/server.ts';

// Runs the test vendors in a separate thread, so that their memory does not count as memory of the reader.

const { url, stop } = await startVendors();
parentPort!.postMessage(url);
parentPort!.once('message', () => stop());
