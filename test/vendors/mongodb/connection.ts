import type { Socket } from 'node:net';
import { Binary, type Document } from 'mongodb';
import { Refused } from './collection.ts';
import { isKnownCommand, run } from './commands.ts';
import { PASSWORD_IN_CLEAR } from './protocol.ts';
import { Scram, USER } from './scram.ts';
import type { MongoServer } from './server.ts';
import { answerTo, type Message, MOST_MESSAGE_BYTES, messagesIn } from './wire.ts';

const MOST_DOCUMENT_BYTES = 16_777_216;

/** Connection of one client: greeting, authentication, commands. */
export class Connection {
  readonly #socket: Socket;
  readonly #server: MongoServer;
  readonly #isPrimary: boolean;
  #rest = Buffer.alloc(0);
  #scram?: Scram;
  #isAuthenticated = false;
  appName = '';

  constructor(socket: Socket, server: MongoServer, isPrimary: boolean) {
    this.#socket = socket;
    this.#server = server;
    this.#isPrimary = isPrimary;
    socket.on('data', (bytes) => this.#take(bytes as Buffer));
    socket.on('error', () => socket.destroy());
  }

  #take(bytes: Buffer): void {
    try {
      const { messages, rest } = messagesIn(Buffer.concat([this.#rest, bytes]));
      this.#rest = Buffer.from(rest);
      for (const message of messages) this.#answer(message);
    } catch (error) {
      this.#server.mistakes.push(String(error));
      this.#socket.destroy();
    }
  }

  #answer(message: Message): void {
    const answer = this.#takeAnswer(message.command);
    if (answer && message.isAnswered) this.#socket.write(answerTo(message, answer));
  }

  /** Returns the answer to a command, or `undefined` if a fault suppresses the answer. */
  #takeAnswer(command: Document): Document | undefined {
    const [name] = Object.keys(command) as [string];
    try {
      if (name === 'isMaster' || name === 'ismaster' || (name === 'hello' && command.$db === 'admin'))
        return this.#hello(command);
      if (name === 'saslStart') return this.#start(command);
      if (name === 'saslContinue') return this.#continue(command);
      if (!this.#isAuthenticated)
        throw new Refused(13, 'Unauthorized', `Command ${name} requires authentication`);
      if (name === 'endSessions') return { ok: 1 };
      return this.#obey(name, command);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return { ok: 0, errmsg: error.message, code: error.code, codeName: error.codeName };
    }
  }

  #hello(command: Document): Document {
    this.appName ||= command.client?.application?.name ?? '';
    const { host, others } = this.#server.membership(this.#isPrimary);
    const speculative = command.speculativeAuthenticate;
    return {
      ...{ helloOk: true, isWritablePrimary: this.#isPrimary, secondary: !this.#isPrimary },
      ...{ setName: 'set', setVersion: 1, hosts: [host, ...others], me: host },
      ...{ primary: this.#isPrimary ? host : others[0] },
      ...{ maxBsonObjectSize: MOST_DOCUMENT_BYTES, maxMessageSizeBytes: MOST_MESSAGE_BYTES },
      ...{ maxWriteBatchSize: 100_000, localTime: new Date(), logicalSessionTimeoutMinutes: 30 },
      ...{ minWireVersion: 0, maxWireVersion: 25, readOnly: false, connectionId: 1 },
      ...(command.saslSupportedMechs && { saslSupportedMechs: ['SCRAM-SHA-256'] }),
      ...(speculative && { speculativeAuthenticate: this.#speculate(speculative) }),
      ok: 1,
    };
  }

  /** Starts authentication within the greeting. Failures are silent. */
  #speculate(command: Document): Document | undefined {
    try {
      return this.#start(command);
    } catch {
      return undefined;
    }
  }

  #start(command: Document): Document {
    if (command.mechanism !== 'SCRAM-SHA-256')
      throw new Refused(334, 'MechanismUnavailable', 'Unsupported mechanism');
    return this.#proven(() => {
      this.#scram = new Scram(decodePayload(command.payload));
      return this.#scram.challenge;
    }, false);
  }

  #continue(command: Document): Document {
    return this.#proven(() => {
      if (!this.#scram) throw new Error('nothing to continue');
      const proof = this.#scram.finish(decodePayload(command.payload));
      this.#isAuthenticated = true;
      return proof;
    }, true);
  }

  #proven(step: () => string, done: boolean): Document {
    try {
      const payload = new Binary(Buffer.from(step()));
      return { conversationId: 1, done, payload, ok: 1 };
    } catch {
      // Real servers reveal less. The message repeats secrets to test that errors hide them.
      const message = `Authentication failed for ${USER} with ${encodeURIComponent(PASSWORD_IN_CLEAR)} or ${PASSWORD_IN_CLEAR}.`;
      throw new Refused(18, 'AuthenticationFailed', message);
    }
  }

  #obey(name: string, command: Document): Document | undefined {
    const database = this.#server.database(command.$db);
    database.seen.push({ ...command, isPrimary: this.#isPrimary });
    const fault = database.faults[0];
    if (fault && (fault.on === undefined || fault.on === name)) {
      database.faults.shift();
      if (fault.kind === 'silent') return undefined;
      if (fault.kind === 'cut') return void this.#socket.destroy();
      return { ok: 1, ...fault.answer };
    }
    if (name === 'hello') return this.#hello(command);
    if (!this.#isPrimary) throw new Refused(10107, 'NotWritablePrimary', 'not primary');
    if (!isKnownCommand(name)) throw new Refused(59, 'CommandNotFound', `no such command: '${name}'`);
    return { ...run(name, command, database), ok: 1 };
  }
}

const decodePayload = (payload: Binary) => Buffer.from(payload.value()).toString();
