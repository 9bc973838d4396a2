/** The version of the API description. Within version 1 things are only added. */
export const apiVersion = '1.0.0'

/** Between announcing that something goes and its going, at least. */
export const removalNotice = '12 months'
