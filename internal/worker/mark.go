package worker

// markVariable is set for the processes of a run. It identifies processes that the run leaves
// behind.
const markVariable = "VADE_RUN"
