import { BSON, type Document } from 'mongodb';

// MongoDB wire protocol: OP_MSG, and OP_QUERY for the first message of a connection.

const HEADER_BYTES = 16;
const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
/** Flag of messages whose sender expects no answer. */
const MORE_TO_COME = 2;
export const MOST_MESSAGE_BYTES = 48_000_000;

export interface Message {
  id: number;
  isQuery: boolean;
  isAnswered: boolean;
  /** Command, with document sequences as arrays. */
  command: Document;
}

/** Removes complete messages from the start of the received bytes. */
export function messagesIn(bytes: Buffer): { messages: Message[]; rest: Buffer } {
  const messages: Message[] = [];
  let rest = bytes;
  while (rest.length >= HEADER_BYTES && rest.length >= rest.readInt32LE(0)) {
    const length = rest.readInt32LE(0);
    if (length > MOST_MESSAGE_BYTES) throw new Error(`a message of ${length} bytes`);
    messages.push(parseMessage(rest.subarray(0, length)));
    rest = rest.subarray(length);
  }
  return { messages, rest };
}

function parseMessage(bytes: Buffer): Message {
  const id = bytes.readInt32LE(4);
  const opcode = bytes.readInt32LE(12);
  if (opcode === OP_QUERY) {
    const name = bytes.toString('utf8', 20, bytes.indexOf(0, 20));
    if (name !== 'admin.$cmd') throw new Error(`OP_QUERY for ${name}`);
    const at = 20 + name.length + 1 + 8;
    return {
      id,
      isQuery: true,
      isAnswered: true,
      command: { ...BSON.deserialize(bytes.subarray(at)), $db: 'admin' },
    };
  }
  if (opcode !== OP_MSG) throw new Error(`an opcode ${opcode}`);
  const flags = bytes.readUInt32LE(16);
  if ((flags & ~MORE_TO_COME) !== 0) throw new Error(`flags ${flags}`);
  return { id, isQuery: false, isAnswered: flags === 0, command: readSections(bytes.subarray(20)) };
}

function readSections(bytes: Buffer): Document {
  let command: Document = {};
  let at = 0;
  while (at < bytes.length) {
    const kind = bytes[at];
    const size = bytes.readInt32LE(at + 1);
    const section = bytes.subarray(at + 1, at + 1 + size);
    if (kind === 0) command = { ...decodeDocument(section), ...command };
    else if (kind === 1) Object.assign(command, readSequence(section));
    else throw new Error(`a section of the kind ${kind}`);
    at += 1 + size;
  }
  return command;
}

function readSequence(section: Buffer): Document {
  const end = section.indexOf(0, 4);
  const documents: Document[] = [];
  for (let at = end + 1; at < section.length; ) {
    const size = section.readInt32LE(at);
    documents.push(decodeDocument(section.subarray(at, at + size)));
    at += size;
  }
  return { [section.toString('utf8', 4, end)]: documents };
}

const decodeDocument = (bytes: Buffer): Document => BSON.deserialize(bytes, { promoteBuffers: false });

export function answerTo({ id, isQuery }: Message, answer: Document): Buffer {
  const body = BSON.serialize(answer, { ignoreUndefined: true });
  const before = Buffer.alloc(isQuery ? 20 : 5);
  if (isQuery) before.writeInt32LE(1, 16);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeInt32LE(HEADER_BYTES + before.length + body.length, 0);
  header.writeInt32LE(id, 8);
  header.writeInt32LE(isQuery ? OP_REPLY : OP_MSG, 12);
  return Buffer.concat([header, before, body]);
}
