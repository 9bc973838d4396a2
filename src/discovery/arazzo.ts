/** Workflows (Arazzo 1.0): how the operations are combined. They can be run, and a test runs them. */
import { documents } from '../contract/documents.ts'
import { errors } from '../contract/errors.ts'
import type { ErrorCode } from '../contract/errors.ts'
import { fields, keyName } from '../contract/fields.ts'
import { routes } from '../contract/routes.ts'
import { examples } from '../contract/schemas.ts'
import { tools } from '../contract/tools.ts'
import { apiVersion } from '../contract/routes.ts'
import type { Facts } from './facts.ts'

const { lead, receipt, withdraw } = routes

export function describeWorkflows({ baseUrl, business }: Facts): object {
  return {
    arazzo: '1.0.1',
    info: {
      title: `Consultation requests: ${business.name}`,
      summary: 'How to send a Consultation request, and follow it.',
      description:
        'Put in the details of a person who agreed to it, and a random key of your own. The values that are here already are for trying it on a service of your own.',
      version: apiVersion,
    },
    sourceDescriptions: [{ name: 'api', url: baseUrl + documents.openapi.path, type: 'openapi' }],
    workflows: [requestConsultation, sendFollowWithdraw, sendInvalid],
  }
}

const inputs = toInputs()

const health = {
  stepId: 'health',
  description: 'Whether a request could be received now.',
  operationId: lead.operations.GET.id,
  successCriteria: [status(200), body('/status', 'ok')],
}

const sending = {
  operationId: lead.operations.POST.id,
  parameters: [{ name: 'Idempotency-Key', in: 'header', value: `$inputs.${keyName}` }],
  requestBody: {
    contentType: 'application/json',
    payload: Object.fromEntries(fields.map(({ name }) => [name, `$inputs.${name}`])),
  },
}

const send = {
  stepId: 'send',
  description: 'Send it, with a key of its own.',
  ...sending,
  successCriteria: [status(200), body('/ok', true)],
  outputs: {
    reference: '$response.body#/reference',
    statusUrl: '$response.body#/status_url',
    token: '$response.body#/receipt_token',
  },
}

const sent = {
  reference: '$steps.send.outputs.reference',
  statusUrl: '$steps.send.outputs.statusUrl',
}
const sameReference = { condition: `$response.body#/reference == ${sent.reference}` }

const requestConsultation = {
  workflowId: 'requestConsultation',
  summary: 'Send a Consultation request.',
  description: 'Give the person the reference and the private address of the receipt.',
  inputs,
  steps: [health, send],
  outputs: sent,
}

const atReceipt = {
  parameters: [{ name: 'token', in: 'path', value: '$steps.send.outputs.token' }],
}

const sendFollowWithdraw = {
  workflowId: 'sendFollowWithdraw',
  summary: 'The whole life of a request: sent, sent again without harm, followed, withdrawn.',
  description: 'Withdraw a request only if the person wants that.',
  inputs,
  steps: [
    health,
    send,
    {
      stepId: 'sendAgain',
      description: 'The same key and content are the same request, and get the same answer.',
      ...sending,
      successCriteria: [
        status(200),
        { condition: "$response.header.Idempotent-Replayed == 'true'" },
        sameReference,
      ],
    },
    {
      stepId: 'readReceipt',
      description: 'What has become of it.',
      operationId: receipt.operations.GET.id,
      ...atReceipt,
      successCriteria: [status(200), sameReference],
    },
    {
      stepId: 'withdraw',
      description: 'Withdraw it.',
      operationId: withdraw.operations.POST.id,
      ...atReceipt,
      successCriteria: [status(200), body('/status', 'withdrawn')],
    },
  ],
  outputs: sent,
}

const refused: ErrorCode = 'VALIDATION_ERROR'
const [{ name: nameField, example: someName }, { name: emailField }] = fields

const sendInvalid = {
  workflowId: 'sendInvalid',
  summary: 'What is wrong with a request is named, field by field.',
  description: 'Nothing is received by it, so it can be run to try a client.',
  steps: [
    {
      stepId: 'sendInvalid',
      description: 'An address that is none: nothing is received.',
      operationId: lead.operations.POST.id,
      requestBody: {
        contentType: 'application/json',
        payload: { [nameField]: someName, [emailField]: 'robin' },
      },
      successCriteria: [
        status(errors[refused].status),
        body('/error/code', refused),
        body('/error/details/fields/0/field', emailField),
      ],
    },
  ],
}

/**
 * The input of the tool, and a key. Only required fields have a default, so that an example phone
 * number is never sent. No `format`: runners do not know it, and the service checks the email.
 */
function toInputs() {
  const { required = [], properties } = tools.submitConsultationLead.inputSchema
  const values: Record<string, string> = {
    ...Object.fromEntries(fields.map(({ name, example }) => [name, example])),
    // Not the example key itself: it may have been used already, with other content.
    [keyName]: `arazzo-${examples.key}`,
  }
  const needed = [...required, keyName]
  const rows = Object.entries(properties).map(([name, { description, minLength, maxLength }]) => {
    const schema = { type: 'string', description, minLength, maxLength }
    return [name, needed.includes(name) ? { ...schema, default: values[name] } : schema]
  })
  return { type: 'object', required: needed, properties: Object.fromEntries(rows) }
}

function status(code: number) {
  return { condition: `$statusCode == ${code}` }
}

function body(pointer: string, value: string | boolean) {
  const literal = typeof value === 'string' ? `'${value}'` : String(value)
  return { condition: `$response.body#${pointer} == ${literal}` }
}
