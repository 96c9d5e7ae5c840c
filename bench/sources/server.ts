import { parentPort } from 'node:worker_threads';
import { startVendors } from '../../test/vendors/server.ts';

// The vendors in a thread of their own, so that their memory is not counted as the reader's.

const { url, stop } = await startVendors();
parentPort!.postMessage(url);
parentPort!.once('message', () => stop());
