import type { JsonSchema } from '#src/json-schema/schema.ts';

const text = (description?: string): JsonSchema => ({ type: 'string', ...(description && { description }) });
const amount = (description: string): JsonSchema => ({ type: 'number', minimum: 0, description });
const date = (description: string): JsonSchema => ({ type: 'string', format: 'date', description });

const address = (description: string): JsonSchema => ({
  type: 'object',
  description,
  properties: {
    name: text('Person or company'),
    street: text(),
    city: text(),
    state: text(),
    postalCode: text('Postal code, ZIP'),
    country: text(),
  },
});

const items: JsonSchema = {
  type: 'array',
  description: 'What is charged for, a line each',
  items: {
    type: 'object',
    properties: {
      description: text('Item, article or service'),
      quantity: { type: 'number', description: 'Quantity' },
      unitPrice: amount('Price of one, unit price'),
      totalPrice: amount('Amount of the line'),
    },
  },
};

/** Schema of an invoice, with the same fields as LlamaCloud's schema of this name. */
export const invoice: JsonSchema = {
  type: 'object',
  title: 'Invoice',
  required: ['invoiceNumber', 'invoiceDate', 'billingAddress', 'items', 'subTotal', 'tax', 'total', 'status'],
  properties: {
    invoiceNumber: text('Number of the invoice'),
    invoiceDate: date('Date of issue'),
    dueDate: date('Date by which it is to be paid'),
    billingAddress: address('Who is billed'),
    shippingAddress: address('Where it is delivered'),
    items,
    subTotal: amount('Sum of the lines before tax'),
    tax: {
      type: 'object',
      properties: { rate: amount('Rate in percent'), amount: amount('Tax, VAT') },
    },
    total: amount('Total due, tax included'),
    notes: text('Remarks and terms'),
    status: { type: 'string', enum: ['Paid', 'Unpaid', 'Overdue'], description: 'Whether it is paid' },
  },
};
