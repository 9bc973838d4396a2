/** An agent in the browser (WebMCP) finds the form as a tool, fills it in, and leaves the sending to the person. */
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { fields, trapName } from '../../src/contract/fields.ts'
import { routes } from '../../src/contract/routes.ts'
import { field, openForm, openSite, sendButton } from '../support/browser.ts'
import { mai } from '../support/people.ts'
import { until } from '../support/until.ts'

const site = await openSite({ after }, ['--enable-features=WebMCP'])
const page = await site.visit({ after })
const details = { name_1: mai.name_1, email_1: mai.email_1, textarea_1: mai.textarea_1 }
// Asked before the first test: once the tests known so far have ended, the browser is closed.
const withTools = await knowsTools()

test('the form says that it is a tool, which never sends by itself', async () => {
  const form = (await openForm(page)).locator('form')
  assert.match((await form.getAttribute('toolname'))!, /^[\w.-]{1,128}$/)
  assert.match((await form.getAttribute('tooldescription'))!, /Consultation/)
  assert.equal(await form.getAttribute('toolautosubmit'), null)
  for (const { name, description } of fields) {
    const input = form.locator(`[name=${name}]`)
    assert.equal(await input.getAttribute('toolparamdescription'), description)
  }
  // What is read-only is no parameter: no polite agent is asked to fill in the trap.
  assert.equal(await form.locator(`[name=${trapName}]`).getAttribute('readonly'), '')
})

// The browser of the package knows WebMCP; one that CHROMIUM_PATH names may not.
if (withTools) {
  test('its parameters are the five fields, without the trap and the key', async () => {
    await openForm(page)
    const [tool, ...others] = await page.webmcp.tools()
    assert.deepEqual(others, [])
    const schema = tool!.inputSchema as { properties: object; required: string[] }
    assert.deepEqual(
      Object.keys(schema.properties),
      fields.map(({ name }) => name),
    )
    assert.deepEqual(
      schema.required,
      fields.filter(({ required }) => required).map(({ name }) => name),
    )
  })

  test('a call fills in the form and waits; when the person sends it, both get their answer', async () => {
    await openForm(page)
    const before = site.leads().length
    const { said } = await callTool(details)
    for (const [name, text] of Object.entries(details)) {
      assert.equal(await field(page, name).inputValue(), text)
    }
    assert.equal(site.leads().length, before, 'it was sent without the person')

    await sendButton(page).click()
    const told = await said
    const lead = site.leads().at(-1)!
    assert.deepEqual([told['ok'], told['reference']], [true, lead.reference])
    assert.deepEqual([lead.values.email, lead.door, lead.state], [mai.email_1, 'webmcp', 'new'])
    await page.waitForURL(`**${routes.receipt.path}*`)
    assert.ok(await page.getByText(lead.reference).isVisible())
  })

  test('on the home page stands the same tool, which opens the form and fills it in', async () => {
    await openForm(page)
    const [own] = await page.webmcp.tools()
    await page.goto('/')
    await until(async () => (await page.webmcp.tools()).length > 0, 'the tool is there')
    const [tool, ...others] = await page.webmcp.tools()
    assert.deepEqual(others, [])
    const about = ({ name, description }: ToolInPage) => ({ name, description })
    assert.deepEqual(about(tool!), about(own!))
    const { properties, required } = tool!.inputSchema as { properties: object; required: string[] }
    assert.deepEqual(
      Object.keys(properties),
      fields.map(({ name }) => name),
    )
    assert.deepEqual(required, ['name_1', 'email_1'])

    const before = site.leads().length
    const told = await askTool({ ...details, [trapName]: 'x' })
    assert.match(JSON.stringify(told), /Nothing is sent yet/)
    await page.waitForURL('**/contact/')
    const nameShown = async () => (await field(page, 'name_1').inputValue()) === details.name_1
    await until(nameShown, 'the form is filled in')
    for (const [name, text] of Object.entries(details)) {
      assert.equal(await field(page, name).inputValue(), text)
    }
    assert.equal(site.leads().length, before, 'it was sent without the person')
    await sendButton(page).click()
    await page.waitForURL('**/thanks/')
    const lead = site.leads().at(-1)!
    assert.deepEqual([lead.values.email, lead.state], [mai.email_1, 'new'])

    // The details are read once.
    await openForm(page)
    assert.equal(await field(page, 'name_1').inputValue(), '')
  })

  test('a call with a bad address tells the agent what to mend, and shows it to the person', async () => {
    await openForm(page)
    const before = site.leads().length
    const { said } = await callTool({ ...details, email_1: 'mai@example' })
    await sendButton(page).click()
    const { code } = (await said)['error'] as { code: string }
    assert.equal(code, 'VALIDATION_ERROR')
    await page.getByRole('alert').getByText('This address').waitFor()
    assert.equal(await field(page, 'textarea_1').inputValue(), mai.textarea_1)
    assert.equal(site.leads().length, before)
  })
}

async function knowsTools(): Promise<boolean> {
  await openForm(page)
  return page.locator('html').evaluate((root) => 'modelContext' in root.ownerDocument)
}

type ToolInPage = { name: string; description: string }
type Said = Record<string, unknown>

/** Resolves when the form waits for the person, with what will be told to the agent. */
async function callTool(input: Record<string, string>): Promise<{ said: Promise<Said> }> {
  const said = askTool(input)
  await page.locator('button:tool-submit-active').waitFor()
  return { said }
}

/** The page that asked stays until it has the answer: a slow machine would lose it with the page. */
async function askTool(input: Record<string, string>): Promise<Said> {
  const [tool] = await page.webmcp.tools()
  const { promise: answered, resolve } = Promise.withResolvers<void>()
  await page.route('**', async (route) => {
    if (route.request().isNavigationRequest()) await answered
    await route.continue()
  })
  return (page.webmcp.callTool(tool!.name, input) as Promise<Said>).finally(resolve)
}
