/** For an agent in the browser (WebMCP), on a page without the form: the form's own tool, which leads to it. */

const formPath = '/contact/'

if (document.modelContext) await offerForm()

async function offerForm() {
  const answer = await fetch(formPath)
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const form = page.querySelector('form[toolname]')
  const inputs = [...form.elements].filter((input) => input.hasAttribute('toolparamdescription'))
  const properties = inputs.map((input) => [
    input.name,
    { type: 'string', description: input.getAttribute('toolparamdescription') },
  ])
  await document.modelContext.registerTool({
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

/** The page of the form reads the details, and forgets them. */
function openForm(details) {
  sessionStorage.setItem('details', JSON.stringify(details))
  // The agent's answer goes out first: it is lost with the page.
  setTimeout(() => location.assign(formPath))
  const text = `Nothing is sent yet: the form at ${formPath} is filled in, and the person sends it.`
  return { content: [{ type: 'text', text }] }
}
