/** On pages without the form, offers an agent in the browser (WebMCP) the tool of the form. The tool opens the form. */

const formPath = '/contact/'

if (document.modelContext) await offerForm(document.modelContext)

/** @param {NonNullable<Document['modelContext']>} agent */
async function offerForm(agent) {
  const answer = await fetch(formPath)
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const form = page.querySelector('form[toolname]')
  if (!form) return
  const inputs = [...form.querySelectorAll('[toolparamdescription]')]
  const properties = inputs.map((input) => [
    input.name,
    { type: 'string', description: input.getAttribute('toolparamdescription') },
  ])
  await agent.registerTool({
    name: form.getAttribute('toolname'),
    title: form.getAttribute('tooltitle'),
    description: form.getAttribute('tooldescription'),
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(properties),
      required: inputs.filter(({ required }) => required).map(({ name }) => name),
    },
    execute: openForm,
  })
}

/**
 * Stores the details for the page of the form, where `fillIn` (form.js) reads and deletes them.
 * @param {object} details
 */
function openForm(details) {
  sessionStorage.setItem('details', JSON.stringify(details))
  // The answer to the agent goes out first: it would be lost with this page.
  setTimeout(() => location.assign(formPath))
  const text = `Nothing is sent yet: the form at ${formPath} is filled in, and the person sends it.`
  return { content: [{ type: 'text', text }] }
}
