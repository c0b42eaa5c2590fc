package worker

// markVariable is set for the processes of a run, to find those that it leaves.
const markVariable = "VADE_RUN"
